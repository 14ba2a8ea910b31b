"""`slurm-doctor check`: hold the diagnoses of labelled logs against their labels."""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.check import (
    CaseFault,
    find_cases,
    github_check,
    json_check,
    junit_check,
    run_case,
    text_check,
    write_label,
)
from diagnose.cli.rules_option import rules_option
from diagnose.diagnosis import diagnose
from diagnose.logs import Unreadable
from diagnose.signatures import Catalogue, load_catalogue


@click.command()
@click.argument("dirs", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "junit", "github"]), default="text", show_default=True
)
@rules_option
@click.option(
    "--add",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="LOG",
    help="Make a case of a log: write its label, to be corrected by hand, where there is none.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show what was expected and what was answered for each wrong case.")
def check(dirs: tuple[Path, ...], form: str, rules: tuple[Path, ...], add: tuple[Path, ...], verbose: bool) -> None:
    """Diagnose each log below DIRS that has a .yaml beside it, as its `expect` says.

    fixtures/FORMAT.md in the repository explains labels and scores. Exit status: 0 where every case is right as a
    whole, 1 where one is not, 2 where a label or a folder cannot be used.
    """
    catalogue = load_catalogue(rules)
    try:
        for log in add:
            _add_case(log, catalogue)
        if add and not dirs:
            return
        outcomes = [run_case(case, catalogue) for case in find_cases(dirs)]
    except (CaseFault, Unreadable, OSError) as problem:
        raise click.UsageError(str(problem)) from None
    if not outcomes:
        raise click.UsageError("no labelled logs there: a case is NAME.log with NAME.yaml beside it")
    if form == "text":
        click.echo(text_check(outcomes, verbose), nl=False)
    else:
        click.echo({"json": json_check, "junit": junit_check, "github": github_check}[form](outcomes), nl=False)
    raise SystemExit(1 if any(outcome.wrong for outcome in outcomes) else 0)


def _add_case(log: Path, catalogue: Catalogue) -> None:
    label = write_label(log, diagnose(log, catalogue=catalogue))
    click.echo(
        f"{label}: written, now read and correct it"
        if label
        else f"{log.with_suffix('.yaml')}: is there already, left as it is"
    )
