"""The compiled catalogue: signatures, their patterns and the literals that lead to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from diagnose.model import Signature
from diagnose.signatures.folders import rule_folders
from diagnose.signatures.literals import NoLiteral, required_literals
from diagnose.signatures.load import Loaded, load_folders
from diagnose.signatures.tables import Row, Tables, load_tables

MARKER_TABLES = ("progress", "success", "topology", "launches", "checkpoints")


@dataclass(frozen=True)
class Marker:
    """A line that is no failure but says how the job went: a step done, a success, who runs where."""

    id: str
    kind: str
    name: str
    pattern: str
    row: Row


@dataclass(frozen=True)
class Literal:
    """A byte string to look for, and who asks for it."""

    text: bytes
    caseless: bool
    owners: tuple[str, ...]


class Catalogue:
    """All signatures in use. Build it with ``load_catalogue``."""

    def __init__(self, loaded: Loaded, tables: Tables) -> None:
        self.signatures: dict[str, Signature] = dict(sorted(loaded.signatures.items()))
        self.tables = tables
        self.faults = [*tables.faults, *loaded.faults]
        self.files = loaded.files

    def __getitem__(self, signature_id: str) -> Signature:
        return self.signatures[signature_id]

    def __len__(self) -> int:
        return len(self.signatures)

    @cached_property
    def literals(self) -> list[Literal]:
        """The literals of all ``match`` and marker patterns, each once, in a fixed order."""
        owners: dict[tuple[bytes, bool], set[str]] = defaultdict(set)
        for owner in [*self.signatures, *self.markers]:
            for pattern in self.patterns_of(owner):
                for text, caseless in literals_of(pattern):
                    owners[text, caseless].add(owner)
        return [Literal(text, caseless, tuple(sorted(ids))) for (text, caseless), ids in sorted(owners.items())]

    def patterns_of(self, owner: str) -> list[str]:
        """The line patterns of an owner of literals: a signature or a marker, by its id."""
        return [self.markers[owner].pattern] if owner in self.markers else self.signatures[owner].match

    @cached_property
    def markers(self) -> dict[str, Marker]:
        """The rows of the marker tables, under ids such as ``@progress/megatron``."""
        found = {}
        for kind in MARKER_TABLES:
            for name, row in self.tables.by_file.get(f"{kind}.yaml", {}).items():
                marker = Marker(f"@{kind}/{name}", kind, name, row["pattern"], row)
                found[marker.id] = marker
        return found

    @cached_property
    def of_exceptions(self) -> list[Signature]:
        """The signatures that look at exceptions rather than at lines."""
        return [signature for signature in self.signatures.values() if signature.exception]

    @cached_property
    def general(self) -> dict[str, set[str]]:
        """For each id, every id that it refines, also through others."""
        closure: dict[str, set[str]] = {}

        def walk(name: str) -> set[str]:
            if name not in closure:
                closure[name] = set()
                for general in self.signatures[name].refines if name in self.signatures else ():
                    closure[name] |= {general} | walk(general)
            return closure[name]

        for name in self.signatures:
            walk(name)
        return closure


def literals_of(pattern: str) -> list[tuple[bytes, bool]]:
    """The required literals of a pattern, each with whether it is caseless."""
    try:
        texts, caseless = required_literals(pattern)
    except NoLiteral:
        return []
    return [(text, caseless) for text in sorted(texts)]


def load_catalogue(extra: Sequence[Path] = ()) -> Catalogue:
    """The shipped rules with those of the site, the user, the environment and ``extra`` laid over them."""
    folders = rule_folders(extra)
    tables = load_tables(folders)
    return Catalogue(load_folders(folders, tables), tables)
