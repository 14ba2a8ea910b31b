"""Table files -> tables, with what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from diagnose.signatures.check_rows import faults_of_row
from diagnose.signatures.faults import Fault
from diagnose.signatures.tables import Row, Tables
from diagnose.signatures.yaml_text import Document, read_yaml


def load_tables(folders: Iterable[Path], names: str = "*.yaml") -> tuple[Tables, list[Fault]]:
    """Read the tables of each folder, all or those whose file names match ``names``; rows of a later folder replace rows of an
    earlier one. A faulty row is left out."""
    by_file: dict[str, dict[str, Row]] = {}
    faults: list[Fault] = []
    for folder in folders:
        for path in sorted((folder / "tables").glob(names)):
            document = read_yaml(path, f"{folder.name}/tables/{path.name}")
            rows = document.value if isinstance(document.value, dict) else {}
            if not document.faults and document.value != rows:
                document.fault("", "expected a mapping of keys to rows")
            usable = rows if not document.faults else {}
            categories = {**by_file.get("categories.yaml", {}), **(usable if path.name == "categories.yaml" else {})}
            by_file.setdefault(path.name, {}).update(
                {key: row for key, row in usable.items() if not _check(document, path.name, key, row, categories)}
            )
            faults += document.faults
    return Tables(by_file), faults


def _check(document: Document, file: str, key: str, row: Row, categories: Mapping[str, Row]) -> bool:
    """Record what is wrong with a row; whether anything is."""
    wrong = list(faults_of_row(file, row, categories))
    for name, text in wrong:
        document.fault(f"{key}.{name}" if name else key, text)
    return bool(wrong)
