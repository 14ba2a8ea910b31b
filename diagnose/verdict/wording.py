"""Texts of signatures -> sentences: captures filled in, parts without their capture dropped, commands quoted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

_OPTIONAL = re.compile(r"\[([^\[\]]*\{\w+\}[^\[\]]*)\]")
_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_LONGEST = 300


def visible(text: str) -> str:
    """Text from a log without what could steer a terminal or turn text around: each such character becomes \ufffd."""
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill ``{name}``; ``[a part with {name}]`` goes where name is unknown; a bare unknown name leaves no braces."""

    def optional(found: re.Match[str]) -> str:
        names = [name for name in _FIELD.findall(found[1]) if name]
        return found[1] if all(values.get(name) for name in names) else ""

    def value(found: re.Match[str]) -> str:
        if not found[1]:
            return str(found[0][0])
        return visible(values.get(found[1], ""))[:_LONGEST] or _UNKNOWN.get(found[1], "?")

    filled = str(_FIELD.sub(value, _OPTIONAL.sub(optional, text)))
    return " ".join(filled.split()).rstrip(" :,")


_UNKNOWN = {"who": "a rank", "node": "a node", "rank": "?", "peer": "?", "message": ""}


def _may_stand_in_a_command(value: str, quoted: bool) -> bool:
    """Log text must not become an option, a control sequence, or (inside the command's own quotes) a command."""
    if value.startswith("-") or value != visible(value) or "\t" in value:
        return False
    return not quoted or re.fullmatch(r"[\w./:@%+=,-]+", value) is not None


def fill_command(text: str | None, values: Mapping[str, str]) -> str | None:
    """Fill a command with shell-quoted captures; None where one is unknown or would not be safe to paste."""
    if text is None:
        return None
    names = [name for name in _FIELD.findall(text) if name]
    if not all(values.get(name) for name in names):
        return None
    if not all(_may_stand_in_a_command(values[name], quoted="'" in text or '"' in text) for name in names):
        return None

    def value(found: re.Match[str]) -> str:
        return str(found[0][0]) if not found[1] else shlex.quote(values[found[1]])

    return str(_FIELD.sub(value, text)).strip()
