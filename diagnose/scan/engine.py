"""Literal search: the one interface behind which engines may differ in speed but never in result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from diagnose.signatures import Literal


class Engine(Protocol):
    """Finds every occurrence of every literal in a block."""

    name: str

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        """Return (end offset, literal id) of each hit, in order of the end offset; ids index the literals given."""
        ...


class StandardEngine:
    """``bytes.find`` from the standard library: needs nothing, fits any machine."""

    name = "standard"

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._exact = [(index, literal.text) for index, literal in enumerate(literals) if not literal.caseless]
        self._caseless = [(index, literal.text) for index, literal in enumerate(literals) if literal.caseless]

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        _find_all(block, self._exact, found)
        if self._caseless:
            _find_all(block.lower(), self._caseless, found)
        found.sort()
        return found


def _find_all(block: bytes, texts: list[tuple[int, bytes]], found: list[tuple[int, int]]) -> None:
    for index, text in texts:
        at = block.find(text)
        while at >= 0:
            end = at + len(text)
            found.append((end, index))
            at = block.find(text, end)
