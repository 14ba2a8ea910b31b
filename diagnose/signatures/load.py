"""Rule files -> signatures, with every fault of a file reported at once as ``file:line: key: what was expected``."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from diagnose.model import Signature
from diagnose.signatures.example_files import read_example_files
from diagnose.signatures.faults import Fault
from diagnose.signatures.json_schema import ID_PATTERN
from diagnose.signatures.literals import NoLiteral, required_literals
from diagnose.signatures.tables import Tables
from diagnose.signatures.yaml_text import Document, read_yaml

FILL_IN = "FILL IN"
"""Marks in a new rule what its author still has to say (diagnose/signatures/scaffold.py)."""

_FIELDS: dict[str, Any] = typing.get_type_hints(Signature)
_REQUIRED = {info.name for info in msgspec.structs.fields(Signature) if info.required}
_PLACE_IN_ERROR = re.compile(r"\$((?:\.\w+|\[\d+\]|\[\.\.\.\])*)")


@dataclass
class Loaded:
    """What a set of rule folders holds: usable signatures by id, and what is wrong with the rest."""

    signatures: dict[str, Signature] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    silenced: set[str] = field(default_factory=set)


def load_folders(folders: Iterable[Path], tables: Tables) -> Loaded:
    """Read every ``*.yaml`` below the folders (``tables`` aside). A later folder adds, replaces or silences by id.

    A file that holds only ``id`` and ``silence: yes`` removes that signature. A faulty file is left out whole.
    """
    loaded = Loaded()
    for folder in folders:
        seen_here: dict[str, str] = {}
        for path in sorted(folder.rglob("*.yml")):
            loaded.faults.append(
                Fault(f"{folder.name}/{path.relative_to(folder)}", 1, "", "is not read: rules end in .yaml")
            )
        for path in sorted(folder.rglob("*.yaml")):
            if "tables" in path.relative_to(folder).parts[:-1]:
                continue
            _load_file(path, f"{folder.name}/{path.relative_to(folder)}", tables, loaded, seen_here)
    _check_references(loaded, tables)
    return loaded


def _load_file(path: Path, shown_as: str, tables: Tables, loaded: Loaded, seen_here: dict[str, str]) -> None:
    document = read_yaml(path, shown_as)
    if isinstance(document.value, dict) and "silence" in document.value:
        _silence(document, loaded)
        return
    signature = check_signature(document, path.stem, tables)
    if signature is not None and signature.id in seen_here:
        document.fault("id", f"{signature.id!r} is already the id of {seen_here[signature.id]}")
    loaded.faults += document.faults
    if signature is None or document.faults:
        return
    seen_here[signature.id] = shown_as
    loaded.signatures[signature.id] = signature
    loaded.files[signature.id] = shown_as


def _silence(document: Document, loaded: Loaded) -> None:
    """Remove the signature that the file names. It may lie in an earlier folder or, by its name, earlier in this one."""
    value = document.value
    name = value.get("id")
    if value["silence"] != "yes" or not set(value) <= {"schema", "id", "silence"} or not isinstance(name, str):
        document.fault("silence", "a file that silences holds `id` and `silence: yes`, and nothing else")
    elif name not in loaded.signatures and name not in loaded.silenced:
        document.fault("id", f"there is no signature {name!r} to silence")
    loaded.faults += document.faults
    if not document.faults:
        loaded.silenced.add(name)
        loaded.signatures.pop(name, None)
        loaded.files.pop(name, None)


def check_signature(document: Document, stem: str, tables: Tables) -> Signature | None:
    """Turn a parsed file into a Signature; None where it cannot be built. Faults go into ``document.faults``."""
    if not isinstance(document.value, dict):
        if not document.faults:
            document.fault("", "expected a mapping with schema, id, title, category, role …")
        return None
    values = _convert_fields(document)
    for name in sorted(_REQUIRED - set(document.value)):
        document.fault("", f"lacks the key {name!r}")
    if document.faults:
        return None
    signature = read_example_files(Signature(**values), document)
    _check_sense(signature, stem, document, tables)
    return signature


def _convert_fields(document: Document) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in document.value.items():
        if name not in _FIELDS:
            document.fault(name, f"unknown key; known are {', '.join(sorted(_FIELDS))}")
            continue
        try:
            values[name] = msgspec.convert(value, _FIELDS[name], strict=True)
        except msgspec.ValidationError as error:
            text, _, rest = str(error).partition(" - at `")
            place = _PLACE_IN_ERROR.match(rest) if rest else None
            document.fault(name + (place.group(1) if place else ""), text)
    return values


def _check_sense(signature: Signature, stem: str, document: Document, tables: Tables) -> None:
    if signature.id != stem:
        document.fault("id", f"must be the file's name: {stem!r}, not {signature.id!r}")
    if not re.fullmatch(ID_PATTERN, signature.id):
        document.fault("id", "lower-case words joined by hyphens, please")
    _check_filled_in(document)
    if signature.category not in tables.categories and signature.category != FILL_IN:
        document.fault("category", f"{signature.category!r} is not in rules/tables/categories.yaml")
    if signature.id in tables.categories:
        document.fault("id", "is the name of a category; ids and categories share no name")
    if bool(signature.match) == bool(signature.exception):
        document.fault("", "needs either `match` or `exception`")
    for index, pattern in enumerate(signature.match):
        _check_pattern(document, f"match[{index}]", pattern, needs_literal=True)
    for index, pattern in enumerate(signature.unless):
        _check_pattern(document, f"unless[{index}]", pattern)
    for index, need in enumerate(signature.needs):
        _check_pattern(document, f"needs[{index}].pattern", need.pattern)
        if not need.lines.isdigit():
            document.fault(f"needs[{index}].lines", f"expected a number of lines, not {need.lines!r}")
    _check_exception(signature, document)
    _check_table(signature, document, tables)
    if not signature.examples:
        document.fault("examples", "at least one, as the program prints it")
    if not signature.near_misses:
        document.fault("near_misses", "at least one line that looks alike and must not match")
    if signature.role in ("cause", "symptom") and not signature.fix and not signature.table:
        document.fault("fix", f"a {signature.role} says what to do")


def _check_table(signature: Signature, document: Document, tables: Tables) -> None:
    table = signature.table
    if table is None:
        return
    if table.file not in tables.by_file:
        document.fault("table.file", f"no such table: rules/tables/{table.file}")
    exception = signature.exception
    patterns = [*signature.match, *(need.pattern for need in signature.needs)]
    patterns += [part for part in (exception.type, exception.message, exception.frame) if part] if exception else []
    if not any(f"(?P<{table.key}>" in pattern for pattern in patterns):
        document.fault("table.key", f"no pattern has a capture of the name {table.key!r}")


def _check_filled_in(document: Document) -> None:
    def walk(value: Any, path: str) -> None:
        if isinstance(value, str) and value.startswith(FILL_IN):
            document.fault(path, "is still to be filled in")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, f"{path}[{index}]")
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(item, f"{path}.{key}" if path else key)

    walk(document.value, "")


def _check_exception(signature: Signature, document: Document) -> None:
    exception = signature.exception
    if exception is None:
        return
    if not (exception.type or exception.message):
        document.fault("exception", "needs `type` or `message`")
    for name in ("type", "message", "frame"):
        pattern = getattr(exception, name)
        if pattern is not None:
            _check_pattern(document, f"exception.{name}", pattern)


def _check_pattern(document: Document, path: str, pattern: str, needs_literal: bool = False) -> None:
    try:
        required_literals(pattern)
    except NoLiteral as error:
        if needs_literal:
            document.fault(path, str(error))
    except (re.error, OverflowError) as error:
        document.fault(path, f"does not compile: {error}")


def _check_references(loaded: Loaded, tables: Tables) -> None:
    known = loaded.signatures.keys() | tables.categories.keys() | loaded.silenced
    for signature in loaded.signatures.values():
        named = list(signature.refines)
        named += [name for explanation in signature.explained_by for name in explanation.any]
        named += [step.when.saw for step in signature.fix if step.when and step.when.saw]
        for name in named:
            if name not in known:
                file = loaded.files[signature.id]
                loaded.faults.append(Fault(file, 1, "", f"names {name!r}, which is no signature and no category"))
