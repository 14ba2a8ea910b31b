"""What a row of a table must hold, so that a faulty one of a site is left out and never ends a diagnosis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from diagnose.model import Action, FixStep, Role, Transient
from diagnose.signatures.compiled import MARKER_TABLES
from diagnose.signatures.literals import NoLiteral, required_literals

_REQUIRED: dict[str, tuple[str, ...]] = {
    "categories.yaml": ("title", "meaning", "action"),
    "exit_codes.yaml": ("title",),
    "signals.yaml": ("title", "number", "exit_code", "words", "meaning"),
    "errno.yaml": ("title", "name"),
    "nccl_results.yaml": ("title", "name", "number"),
    "slurm_states.yaml": ("title", "short"),
    "slurm_reasons.yaml": ("title", "when"),
    **dict.fromkeys(("xid.yaml", "sxid.yaml", "ib_status.yaml"), ("title",)),
    **dict.fromkeys((f"{name}.yaml" for name in MARKER_TABLES), ("pattern",)),
}
_TYPES: dict[str, Any] = {
    "role": Role,
    "action": Action,
    "transient": Transient,
    "fix": list[FixStep],
    "next_time": list[str],
    **dict.fromkeys(
        ("title", "category", "meaning", "why", "name", "number", "exit_code", "words", "short", "when", "pattern"), str
    ),
}


def faults_of_row(file: str, row: Any, categories: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (key, what was expected) for everything wrong in one row of the table ``file``."""
    if not isinstance(row, dict):
        yield "", "expected a mapping, such as title, category, why"
        return
    for name in _REQUIRED.get(file, ()):
        if name not in row:
            yield "", f"lacks the key {name!r}"
    for name, kind in _TYPES.items():
        if name in row:
            try:
                msgspec.convert(row[name], kind)
            except msgspec.ValidationError as error:
                yield name, str(error)
    category = row.get("category")
    if isinstance(category, str) and category not in categories:
        yield "category", f"{category!r} is not in rules/tables/categories.yaml"
    pattern = row.get("pattern")
    if isinstance(pattern, str):
        try:
            required_literals(pattern)
        except NoLiteral as error:
            yield "pattern", str(error)
        except (re.error, OverflowError) as error:
            yield "pattern", f"does not compile: {error}"
