"""`slurm-doctor rules`: look at the signatures, write and test them. Each command has a module of its own."""

from __future__ import annotations

import click

from diagnose.cli.rules_test import test_rules


@click.group()
def rules() -> None:
    """List, show, write and test the signatures."""


rules.add_command(test_rules)
