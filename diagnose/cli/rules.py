"""`slurm-doctor rules`: look at the signatures and test them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from diagnose.events import recognise_sample
from diagnose.scan import StandardEngine
from diagnose.signatures import load_catalogue
from diagnose.signatures.selftest import self_test


@click.group()
def rules() -> None:
    """List, show and test the signatures."""


@rules.command("test")
@click.argument("dirs", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--only", multiple=True, metavar="ID", help="Test these signatures only.")
def test_rules(dirs: tuple[Path, ...], only: tuple[str, ...]) -> None:
    """Check every signature: schema, examples with captures, near misses.

    DIRS are rule folders of your own, laid over the shipped ones. Exit status 1 where anything is wrong.
    """
    catalogue = load_catalogue(dirs)
    recognise = partial(recognise_sample, catalogue=catalogue, engine=StandardEngine(catalogue.literals))
    faults = catalogue.faults + self_test(catalogue, recognise, only)
    for fault in faults:
        click.echo(str(fault), err=True)
    click.echo(f"{len(catalogue)} signatures, {len(faults)} faults")
    raise SystemExit(1 if faults else 0)
