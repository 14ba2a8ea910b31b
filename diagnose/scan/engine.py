"""Literal search: the one interface behind which engines may differ in speed but never in result.

Hyperscan (Vectorscan) reads more than a gigabyte in a second, but takes 0.1 s to get ready, and is given escaped literals
only: its regular expressions miss matches in some versions (VectorCamp/vectorscan#358, #382). The Aho-Corasick automaton of
the Rust crate is ready in 15 ms. The standard library's ``bytes.find`` needs nothing and is the quickest for a few lines.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import Any, Protocol

from diagnose.signatures import Literal

ENVIRONMENT = "SLURM_DOCTOR_ENGINE"
"""Forces an engine by its name: ``hyperscan``, ``ahocorasick`` or ``standard``."""

FEW_BYTES = 4 * 1024
"""So few are searched sooner than an automaton is built."""

MANY_BYTES = 16 * 1024 * 1024
"""So many are worth the time that Hyperscan takes to get ready."""


class Engine(Protocol):
    """Finds every occurrence of every literal in a block."""

    name: str

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        """Return (end offset, literal id) of each hit, in order of the end offset; ids index the literals given."""
        ...


def choose_engine(literals: Sequence[Literal], expected_bytes: int = 0) -> Engine:
    """The engine that should be done first with so many bytes, or the one that the environment names.

    Raises ``ValueError`` where the environment names none that is there.
    """
    wanted = os.environ.get(ENVIRONMENT, "")
    if wanted and wanted not in _BUILDERS:
        raise ValueError(f"{ENVIRONMENT}={wanted}: no such engine; known are {', '.join(_BUILDERS)}")
    for name in [wanted] if wanted else _order(expected_bytes):
        try:
            return _BUILDERS[name](literals)
        except ImportError:
            continue
    raise ValueError(f"{ENVIRONMENT}={wanted}: there is no such engine here; standard always is")


def _order(expected_bytes: int) -> list[str]:
    if expected_bytes <= FEW_BYTES:
        return ["standard"]
    return [*(["hyperscan"] if expected_bytes >= MANY_BYTES else []), "ahocorasick", "standard"]


class HyperscanEngine:
    """All literals in one pass of the Hyperscan library, in block mode. It cuts a block silently at 4 GiB."""

    name = "hyperscan"

    def __init__(self, literals: Sequence[Literal], library: Any) -> None:
        self._database = library.Database(mode=library.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[_escaped(literal.text) for literal in literals],
            ids=list(range(len(literals))),
            elements=len(literals),
            flags=[library.HS_FLAG_CASELESS if literal.caseless else 0 for literal in literals],
        )

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []

        def note(literal: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found.append((end, literal))

        self._database.scan(block, note)
        found.sort()
        return found


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


def _hyperscan(literals: Sequence[Literal]) -> Engine:
    if not _can_run_hyperscan():
        raise ImportError("this processor lacks SSE4.2; importing hyperscan would kill the process")
    import hyperscan

    return HyperscanEngine(literals, hyperscan)


def _can_run_hyperscan() -> bool:
    """Whether the processor has what the wheels were built for. Unknown counts as no."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine() in ("aarch64", "arm64")
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return "sse4_2" in file.read(16 * 1024)
    except OSError:
        return platform.system() == "Darwin"  # every 64-bit Intel Mac that runs a supported macOS has it


def _ahocorasick(literals: Sequence[Literal]) -> Engine:
    import ahocorasick_rs

    return AhoCorasickEngine(literals, ahocorasick_rs)


_BUILDERS = {"hyperscan": _hyperscan, "ahocorasick": _ahocorasick, "standard": StandardEngine}


def _escaped(text: bytes) -> bytes:
    """A literal as a regular expression that matches it and nothing else."""
    return b"".join(bytes([byte]) if chr(byte).isalnum() and byte < 128 else b"\\x%02x" % byte for byte in text)
