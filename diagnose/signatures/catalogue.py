"""The catalogue: signatures, tables, markers, and the literals that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from diagnose.model import Signature
from diagnose.signatures.compiled import Also, Compiled, Literal, load_compiled
from diagnose.signatures.faults import Fault
from diagnose.signatures.folders import ENVIRONMENT, missing_folders, rule_folders
from diagnose.signatures.tables import Row, Tables

T = TypeVar("T")

OFTEN = ("progress", "checkpoints")
"""The kinds of marks that a healthy log is full of."""


class Lazily(Mapping[str, T], Generic[T]):
    """A mapping whose values are decoded when they are asked for: a diagnosis needs a dozen signatures of a thousand."""

    def __init__(self, raw: Mapping[str, msgspec.Raw], kind: Any) -> None:
        self._raw = raw
        self._decoder = msgspec.json.Decoder(kind)
        self._decoded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._decoded:
            self._decoded[name] = self._decoder.decode(self._raw[name])
        return self._decoded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


class Catalogue:
    """All signatures in use. Build it with ``load_catalogue``."""

    def __init__(self, compiled: Compiled) -> None:
        self.signatures: Mapping[str, Signature] = Lazily(compiled.signatures, Signature)
        self.tables = Tables(Lazily(compiled.tables, dict[str, Row]))
        self.markers = {marker.id: marker for marker in compiled.markers}
        self.literals = compiled.literals
        self.files = compiled.files
        self.faults = compiled.faults
        self._also: Mapping[str, list[Also]] = Lazily(compiled.also, list[Also])
        self._exceptions = compiled.exceptions
        self._general = compiled.general

    def __getitem__(self, signature_id: str) -> Signature:
        return self.signatures[signature_id]

    def __contains__(self, signature_id: object) -> bool:
        return signature_id in self.signatures

    def __len__(self) -> int:
        return len(self.signatures)

    @cached_property
    def surveyed(self) -> list[Literal]:
        """The literals of the first pass over a large log: causes, consequences, and the rare ones of the marks."""
        return self._owned(self.is_rare)

    def is_rare(self, owner: str) -> bool:
        """Whether a healthy log is not full of what this signature or marker looks for."""
        if owner in self.markers:
            return not self.is_step(owner) and not self.markers[owner].general
        return self[owner].role != "benign"

    def is_step(self, owner: str) -> bool:
        """Whether it is a marker of what makes up most of a log: steps and checkpoints."""
        return owner in self.markers and self.markers[owner].kind in OFTEN

    @cached_property
    def sampled(self) -> list[Literal]:
        """The literals of the marks that make up most of a log: steps and checkpoints."""
        return self._owned(self.is_step)

    def _owned(self, wanted: Callable[[str], bool]) -> list[Literal]:
        chosen = {owner for literal in self.literals for owner in literal.owners if wanted(owner[0])}
        return [
            Literal(literal.text, literal.caseless, owners)
            for literal in self.literals
            if (owners := tuple(owner for owner in literal.owners if owner in chosen))
        ]

    @cached_property
    def of_exceptions(self) -> list[Signature]:
        """The signatures that look at exceptions rather than at lines."""
        return [self.signatures[name] for name in self._exceptions]

    def general_than(self, signature_id: str) -> Sequence[str]:
        """Every id that a signature refines, also through others."""
        return self._general.get(signature_id, ())

    def patterns_of(self, owner: str) -> list[str]:
        """The line patterns of an owner of literals: a signature or a marker, by its id."""
        return [self.markers[owner].pattern] if owner in self.markers else self.signatures[owner].match

    def may_match(self, owner: tuple[str, int], line: bytes) -> bool:
        """Whether a line in which one of its literals stands has the other texts, too, that the pattern needs."""
        return self._also[owner[0]][owner[1]].allows(line)

    def pattern_of(self, owner: tuple[str, int]) -> str:
        """The pattern that asks for a literal."""
        return self.patterns_of(owner[0])[owner[1]]


def load_catalogue(extra: Sequence[Path] = ()) -> Catalogue:
    """The shipped rules with those of the site, the user, the environment and ``extra`` laid over them."""
    catalogue = Catalogue(load_compiled(rule_folders(extra)))
    missing = [Fault(folder, 1, "", f"{ENVIRONMENT} names it, but it is no folder") for folder in missing_folders()]
    catalogue.faults = [*missing, *catalogue.faults]
    return catalogue
