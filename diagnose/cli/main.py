"""The command line: `slurm-doctor LOG…` diagnoses; every other command has a module of its own."""

from __future__ import annotations

import click

from diagnose.cli.check import check
from diagnose.cli.rules import rules


@click.group()
def run() -> None:
    """Say what failed first in the log of a multi-node GPU job."""


run.add_command(check)
run.add_command(rules)
