"""The tables under rules/tables: what a code, a state or a marker means. Rows are text, as people wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass
class Tables:
    """Every table by file name: ``by_file["xid.yaml"]["79"]["title"]``."""

    by_file: Mapping[str, dict[str, Row]] = field(default_factory=dict)

    @property
    def categories(self) -> dict[str, Row]:
        """The public vocabulary: slug -> title, meaning, action."""
        return self.by_file.get("categories.yaml", {})

    def row(self, file: str, key: str) -> Row | None:
        """The row of a table, or None. A leading zero or sign of a number does not matter."""
        if file not in self.by_file:
            return None
        table = self.by_file[file]
        return table.get(key) or table.get(key.lstrip("0") or "0")
