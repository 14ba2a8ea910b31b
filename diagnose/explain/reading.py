"""One meaning of a word, as every format shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from diagnose.explain.placeholders import generic, generic_command
from diagnose.model import Action, Role, Transient
from diagnose.signatures import Catalogue


class Step(Struct, frozen=True):
    """One thing to do; ``when`` says in words where it applies, None where it always does."""

    do: str
    run: str | None = None
    when: str | None = None


class Reading(Struct, frozen=True, kw_only=True):
    """What a word means: ``what`` names it ("exit code 137", "Xid 79"), the rest explains it."""

    what: str
    title: str
    category: str | None = None
    category_title: str | None = None
    role: Role | None = None
    meaning: str | None = None
    why: str | None = None
    fix: list[Step] = []
    next_time: list[str] = []
    action: Action | None = None
    transient: Transient | None = None
    references: list[str] = []


def reading_of_row(
    what: str,
    row: Mapping[str, Any],
    catalogue: Catalogue,
    references: Sequence[str],
    values: Mapping[str, str] = MappingProxyType({}),
) -> Reading:
    """The reading that a row of a table gives. ``values`` fill its placeholders as far as they are known."""
    category = row.get("category")
    known = catalogue.tables.categories.get(category or "", {})
    steps = [
        Step(generic(step["do"], values), generic_command(step.get("run"), values)) for step in row.get("fix") or []
    ]
    return Reading(
        what=what,
        title=generic(row["title"], values),
        category=category,
        category_title=known.get("title"),
        role=row.get("role"),
        meaning=generic(row["meaning"], values) if row.get("meaning") else None,
        why=generic(row["why"], values) if row.get("why") else None,
        fix=steps or look_further(category),
        next_time=[generic(text, values) for text in row.get("next_time") or []],
        action=row.get("action") or known.get("action"),
        transient=row.get("transient"),
        references=list(references),
    )


def look_further(category: str | None) -> list[Step]:
    """What to do where nothing better is known: read what is known of the category."""
    if category in (None, "none", "unknown"):
        return []
    return [
        Step("See which failures of this kind are known, and which fits.", f"slurm-doctor rules list -c {category}")
    ]
