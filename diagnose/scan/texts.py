"""Literals in many short texts: which stand in which, a bounded number of texts at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from diagnose.scan.engine import Engine

AT_ONCE = 4096
"""Texts that are searched in one go: it bounds what is known of them at a time."""


def hits_in(texts: Sequence[bytes], engine: Engine) -> Iterator[tuple[int, int]]:
    """Yield (index of the text, literal id) of each hit, text by text."""
    for first in range(0, len(texts), AT_ONCE):
        some = texts[first : first + AT_ONCE]
        starts, at = [], 0
        for text in some:
            starts.append(at)
            at += len(text) + 1
        for end, literal in engine.scan(b"\n".join(some)):
            yield first + bisect_right(starts, end - 1) - 1, literal
