"""What shells complete: signature ids and categories. Nothing is read but the names of files and one table."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def complete_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids that begin so, from the names of the rule files."""
    from diagnose.signatures.folders import rule_file_ids

    rules = ctx.params.get("rules") or ctx.params.get("dirs") or ()
    return [CompletionItem(name) for name in rule_file_ids(rules) if name.startswith(incomplete)]


def complete_categories(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The categories that begin so, each with its title as help."""
    from diagnose.signatures.folders import shipped_rules
    from diagnose.signatures.load_tables import load_tables

    categories = load_tables([shipped_rules()], "categories.yaml")[0].categories
    return [CompletionItem(slug, help=row["title"]) for slug, row in categories.items() if slug.startswith(incomplete)]
