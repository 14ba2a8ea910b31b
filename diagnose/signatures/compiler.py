"""Rule folders -> compiled rules: YAML read and checked, literals derived, refinements followed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Raw

from diagnose.model import Signature
from diagnose.signatures.compiled import MARKER_TABLES, Also, Compiled, Literal, Marker
from diagnose.signatures.literals import NoLiteral, required_literals, required_sets
from diagnose.signatures.load import load_folders
from diagnose.signatures.load_tables import load_tables
from diagnose.signatures.tables import Tables


def compile_rules(folders: Sequence[Path]) -> Compiled:
    """Read all folders, a later one laid over the ones before. What is wrong with them stands in ``faults``."""
    tables, faults = load_tables(folders)
    loaded = load_folders(folders, tables)
    signatures = dict(sorted(loaded.signatures.items()))
    markers = list(_markers(tables))
    return Compiled(
        signatures={name: Raw(msgspec.json.encode(signature)) for name, signature in signatures.items()},
        tables={name: Raw(msgspec.json.encode(rows)) for name, rows in tables.by_file.items()},
        markers=markers,
        literals=_literals(signatures, markers),
        also=_also(signatures, markers),
        exceptions=[name for name, signature in signatures.items() if signature.exception],
        general=_general(signatures),
        files=loaded.files,
        faults=[*faults, *loaded.faults],
    )


def _markers(tables: Tables) -> Iterable[Marker]:
    """The rows of the marker tables, under ids such as ``@progress/megatron``."""
    for kind in MARKER_TABLES:
        for name, row in tables.by_file.get(f"{kind}.yaml", {}).items():
            facts = {key: value for key, value in row.items() if isinstance(value, str)}
            general = row.get("general") == "yes"
            yield Marker(f"@{kind}/{name}", kind, name, row["pattern"], facts, row.get("unless"), general)


def _literals(signatures: dict[str, Signature], markers: Sequence[Marker]) -> list[Literal]:
    """The literals of all line patterns, each once, in a fixed order."""
    owners: dict[tuple[bytes, bool], set[tuple[str, int]]] = defaultdict(set)
    patterns = [
        ((name, number), pattern)
        for name, signature in signatures.items()
        for number, pattern in enumerate(signature.match)
    ]
    patterns += [((marker.id, 0), marker.pattern) for marker in markers]
    for owner, pattern in patterns:
        for text, caseless in literals_of(pattern):
            owners[text, caseless].add(owner)
    return [Literal(text, caseless, tuple(sorted(ids))) for (text, caseless), ids in sorted(owners.items())]


MOST_SETS = 3
MOST_TEXTS = 12


def _also(signatures: dict[str, Signature], markers: Sequence[Marker]) -> dict[str, Raw]:
    """The second and further sets of literals of each pattern, those that are quick to look for."""
    patterns = {name: signature.match for name, signature in signatures.items() if signature.match}
    patterns |= {marker.id: [marker.pattern] for marker in markers}
    return {owner: Raw(msgspec.json.encode([_further(pattern) for pattern in own])) for owner, own in patterns.items()}


def _further(pattern: str) -> Also:
    sets, caseless = required_sets(pattern)
    short = [tuple(sorted(texts)) for texts in sets[1:] if len(texts) <= MOST_TEXTS]
    return Also(caseless, tuple(short[:MOST_SETS]))


def literals_of(pattern: str) -> list[tuple[bytes, bool]]:
    """The required literals of a pattern, each with whether it is caseless."""
    try:
        texts, caseless = required_literals(pattern)
    except NoLiteral:
        return []
    return [(text, caseless) for text in sorted(texts)]


def _general(signatures: dict[str, Signature]) -> dict[str, list[str]]:
    closure: dict[str, set[str]] = {}

    def walk(name: str) -> set[str]:
        if name not in closure:
            closure[name] = set()
            for general in signatures[name].refines if name in signatures else ():
                closure[name] |= {general} | walk(general)
        return closure[name]

    return {name: sorted(found) for name in signatures if (found := walk(name))}
