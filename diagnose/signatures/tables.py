"""The tables under rules/tables: what a code, a state or a marker means. Rows are text, as people wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnose.signatures.yaml_text import Fault, read_yaml

Row = dict[str, Any]


@dataclass
class Tables:
    """Every table by file name: ``by_file["xid.yaml"]["79"]["title"]``."""

    by_file: dict[str, dict[str, Row]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    @property
    def categories(self) -> dict[str, Row]:
        """The public vocabulary: slug -> title, meaning, action."""
        return self.by_file.get("categories.yaml", {})

    def row(self, file: str, key: str) -> Row | None:
        """The row of a table, or None. A leading zero or sign of a number does not matter."""
        table = self.by_file.get(file, {})
        return table.get(key) or table.get(key.lstrip("0") or "0")


def load_tables(folders: Iterable[Path]) -> Tables:
    """Read ``tables/*.yaml`` of each folder; rows of a later folder replace rows of an earlier one."""
    tables = Tables()
    for folder in folders:
        for path in sorted((folder / "tables").glob("*.yaml")):
            document = read_yaml(path, f"{folder.name}/tables/{path.name}")
            rows = document.value
            if not document.faults and not (
                isinstance(rows, dict) and all(isinstance(row, dict) for row in rows.values())
            ):
                document.fault("", "expected a mapping of keys to rows")
            tables.faults += document.faults
            if not document.faults:
                tables.by_file.setdefault(path.name, {}).update(rows)
    return tables
