"""`slurm-doctor rules test`: do the signatures keep what they promise?"""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.cli.complete import complete_ids

READ_BYTES = 8 << 20
"""About what all examples in all forms hold."""


@click.command("test")
@click.argument("dirs", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--only", multiple=True, metavar="ID", shell_complete=complete_ids, help="Test this signature only; repeatable."
)
def test_rules(dirs: tuple[Path, ...], only: tuple[str, ...]) -> None:
    """Check every signature: its form, its examples with their captures, its near misses.

    Each example is tried as it stands, behind the prefixes of launchers, in colour, with CRLF, glued to a progress bar
    and cut in two. DIRS are rule folders of your own, laid over the shipped ones. Exit status 1 where anything is wrong.
    """
    from functools import partial

    from diagnose.cli.signature_ids import require_ids
    from diagnose.events import recognise_samples
    from diagnose.scan import choose_engine
    from diagnose.signatures import load_catalogue
    from diagnose.signatures.selftest import self_test
    from diagnose.verdict import visible

    catalogue = load_catalogue(dirs)
    faulty = [Path(fault.file).stem for fault in catalogue.faults]
    require_ids(only, [*catalogue.signatures, *faulty])
    recognise = partial(recognise_samples, catalogue=catalogue, engine=choose_engine(catalogue.literals, READ_BYTES))
    faults = [*catalogue.faults, *self_test(catalogue, recognise, only)]
    for fault in faults:
        click.echo(visible(str(fault)), err=True)
    tested = len(only) or len(catalogue)
    click.echo(f"{tested} signatures, {len(faults)} faults")
    raise SystemExit(1 if faults else 0)
