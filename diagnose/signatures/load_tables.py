"""Table files -> tables, with what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from diagnose.signatures.faults import Fault
from diagnose.signatures.tables import Row, Tables
from diagnose.signatures.yaml_text import read_yaml


def load_tables(folders: Iterable[Path], names: str = "*.yaml") -> tuple[Tables, list[Fault]]:
    """Read the tables of each folder, all or those whose file names match ``names``; rows of a later folder replace rows of an earlier one."""
    by_file: dict[str, dict[str, Row]] = {}
    faults: list[Fault] = []
    for folder in folders:
        for path in sorted((folder / "tables").glob(names)):
            document = read_yaml(path, f"{folder.name}/tables/{path.name}")
            rows = document.value
            if not document.faults and not (
                isinstance(rows, dict) and all(isinstance(row, dict) for row in rows.values())
            ):
                document.fault("", "expected a mapping of keys to rows")
            faults += document.faults
            if not document.faults:
                by_file.setdefault(path.name, {}).update(rows)
    return Tables(by_file), faults
