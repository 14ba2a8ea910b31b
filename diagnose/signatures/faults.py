"""What is wrong in a rule file, in words for the person who wrote it."""

from __future__ import annotations

from msgspec import Struct


class Fault(Struct, frozen=True, order=True):
    """One thing wrong: file, line (from 1), the key's path, and what was expected."""

    file: str
    line: int
    key: str
    text: str

    def __str__(self) -> str:
        key = f" {self.key}:" if self.key else ""
        return f"{self.file}:{self.line}:{key} {self.text}"
