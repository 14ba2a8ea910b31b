"""A pattern on one piece of text, within a time limit: the only place where patterns of rules are run."""

from __future__ import annotations

from functools import lru_cache

import regex

PATTERN_SECONDS = 1.0
"""A pattern that has not answered on one line after this long has no match there."""

_TOO_SLOW: set[str] = set()
"""Patterns that ran into the time-out once: they get no second chance to hold a diagnosis up."""


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> regex.Pattern[bytes]:
    """The pattern for bytes. ``^`` and ``$`` are the ends of one line."""
    return regex.compile(pattern.encode(), regex.DOTALL)


def search(pattern: str, text: bytes) -> dict[str, bytes] | None:
    """Named groups of the first match, or None; a pattern that takes too long has none."""
    if pattern in _TOO_SLOW:
        return None
    try:
        found = compiled(pattern).search(text, timeout=PATTERN_SECONDS)
    except TimeoutError:
        _TOO_SLOW.add(pattern)
        return None
    return None if found is None else found.groupdict()
