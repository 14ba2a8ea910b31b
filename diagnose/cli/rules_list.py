"""`slurm-doctor rules list`: which failures are known?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diagnose.cli.complete import complete_categories
from diagnose.cli.rules_option import rules_option

if TYPE_CHECKING:
    from diagnose.model import Signature
    from diagnose.signatures import Catalogue

ROLES = ["cause", "symptom", "exit", "context", "benign"]


@click.command("list")
@click.argument("text", nargs=-1)
@click.option("-c", "--category", metavar="CATEGORY", shell_complete=complete_categories, help="Of this category only.")
@click.option("--role", type=click.Choice(ROLES), help="Of this role only.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@rules_option
def list_rules(
    text: tuple[str, ...], category: str | None, role: str | None, form: str, rules: tuple[Path, ...]
) -> None:
    """List the signatures, all or those with every word of TEXT in their id, title or patterns.

    Exit status 1 where none is left.
    """
    from diagnose.explain import find_signatures
    from diagnose.signatures import load_catalogue

    catalogue = load_catalogue(rules)
    if category is not None and category not in catalogue.tables.categories:
        from diagnose.cli.signature_ids import nearest

        near = nearest(category, catalogue.tables.categories)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(catalogue.tables.categories)}"
        raise click.BadParameter(f"{category!r} is no category; {hint}", param_hint="--category")
    found = find_signatures(catalogue, text, category, role)
    click.echo(_json(found, catalogue) if form == "json" else _table(found), nl=False)
    raise SystemExit(0 if found else 1)


def _table(found: list[Signature]) -> str:
    """Id, role, category and title in columns; the title as it stands, not cut."""
    from diagnose.explain import generic

    rows = [(one.id, one.role, one.category, generic(one.title)) for one in found]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    return "".join("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) + "\n" for row in rows)  # fmt: skip


def _json(found: list[Signature], catalogue: Catalogue) -> str:
    import msgspec

    rows: list[dict[str, Any]] = [
        {
            "id": one.id, "title": one.title, "category": one.category, "role": one.role, "action": one.action,
            "transient": one.transient, "references": one.references, "file": catalogue.files[one.id],
        }
        for one in found
    ]  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n"
