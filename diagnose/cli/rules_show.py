"""`slurm-doctor rules show ID`: one signature as a page to read."""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.cli.complete import complete_ids
from diagnose.cli.rules_option import rules_option


@click.command("show")
@click.argument("signature", metavar="ID", shell_complete=complete_ids)
@rules_option
def show_rule(signature: str, rules: tuple[Path, ...]) -> None:
    """Show one signature: what it means, what to do, what explains it, its examples and the file that it lies in."""
    import sys

    from diagnose.cli.signature_ids import require_ids
    from diagnose.explain import signature_page
    from diagnose.report import print_report, terminal_width, text_signature_page
    from diagnose.signatures import load_catalogue

    catalogue = load_catalogue(rules)
    require_ids([signature], catalogue.signatures)
    page = signature_page(signature, catalogue)
    print_report(text_signature_page(page, terminal_width(sys.stdout)), sys.stdout)
