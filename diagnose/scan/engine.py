"""Literal search: the one interface behind which engines may differ in speed but never in result."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from diagnose.signatures import Literal


class Engine(Protocol):
    """Finds every occurrence of every literal in a block."""

    name: str

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        """Return (end offset, literal id) of each hit, in order of the end offset; ids index the literals given."""
        ...


ENVIRONMENT = "SLURM_DOCTOR_ENGINE"
"""Forces an engine by its name: ``ahocorasick`` or ``standard``."""


def choose_engine(literals: Sequence[Literal]) -> Engine:
    """The fastest engine that this machine has, or the one that the environment names.

    Raises ``ValueError`` where the environment names none that is there.
    """
    wanted = os.environ.get(ENVIRONMENT, "")
    if wanted == StandardEngine.name:
        return StandardEngine(literals)
    try:
        import ahocorasick_rs
    except ImportError:
        if wanted:
            raise ValueError(f"{ENVIRONMENT}={wanted}: there is no such engine here; standard always is") from None
        return StandardEngine(literals)
    if wanted not in ("", AhoCorasickEngine.name):
        raise ValueError(f"{ENVIRONMENT}={wanted}: no such engine; known are ahocorasick and standard")
    return AhoCorasickEngine(literals, ahocorasick_rs)


class AhoCorasickEngine:
    """All literals in one pass, with the Aho-Corasick automaton of the Rust crate of that name."""

    name = "ahocorasick"

    def __init__(self, literals: Sequence[Literal], library: Any) -> None:
        self._exact = self._automaton(library, literals, caseless=False)
        self._caseless = self._automaton(library, literals, caseless=True)

    @staticmethod
    def _automaton(library: Any, literals: Sequence[Literal], caseless: bool) -> tuple[list[int], Any]:
        ids = [index for index, literal in enumerate(literals) if literal.caseless is caseless]
        texts = [literals[index].text for index in ids]
        kind = library.MatchKind.Standard
        return ids, library.BytesAhoCorasick(
            texts, kind, implementation=library.Implementation.ContiguousNFA
        ) if ids else None

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for (ids, automaton), text in ((self._exact, block), (self._caseless, block.lower())):
            if automaton is not None:
                found += [
                    (end, ids[index]) for index, _, end in automaton.find_matches_as_indexes(text, overlapping=True)
                ]
        found.sort()
        return found


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
            found.append((at + len(text), index))
            at = block.find(text, at + 1)
