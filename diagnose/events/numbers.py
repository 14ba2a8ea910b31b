"""Digits of a log -> numbers: the one place where text of any length becomes an int."""

from __future__ import annotations

ID_DIGITS = 9
"""The most digits of a rank, a task, a process or an exit code."""

COUNT_DIGITS = 18
"""The most digits of a step, a sequence number or a number of elements."""


def whole_number(text: str | bytes | None, digits: int = ID_DIGITS, signed: bool = False) -> int | None:
    """The decimal number; None for anything else, and for one of more than ``digits`` characters.

    Python itself refuses to convert more than 4300 digits, and log text is hostile.
    """
    if isinstance(text, bytes):
        text = text.decode("ascii", "replace")
    if not text or len(text) > digits:
        return None
    return int(text) if (text.removeprefix("-") if signed else text).isdecimal() else None
