"""``--rules DIR``: the one option that all commands with a catalogue share."""

from __future__ import annotations

from pathlib import Path

import click

rules_option = click.option(
    "--rules",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder of rules of your own, laid over the shipped ones; repeatable.",
)
