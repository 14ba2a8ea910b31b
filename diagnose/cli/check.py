"""`slurm-doctor check`: hold the diagnoses of labelled logs against their labels."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import click

from diagnose.check import CaseFault, Figures, Outcome, count_figures, find_cases, run_case
from diagnose.check.figures import FIELDS
from diagnose.signatures import load_catalogue


@click.command()
@click.argument("dirs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-v", "--verbose", is_flag=True, help="Show what was expected and what was answered for each wrong case.")
def check(dirs: tuple[Path, ...], verbose: bool) -> None:
    """Diagnose each log below DIRS that has a .yaml beside it, as its `expect` says.

    Exit status 0 where every case is right as a whole, 1 otherwise.
    """
    try:
        cases = find_cases(dirs)
    except CaseFault as fault:
        raise click.UsageError(str(fault)) from None
    if not cases:
        raise click.UsageError("no labelled logs there: a case is NAME.log with NAME.yaml beside it")
    catalogue = load_catalogue()
    outcomes = [run_case(case, catalogue) for case in cases]
    for outcome in outcomes:
        if outcome.wrong:
            click.echo(f"{outcome.case.name}: wrong: {', '.join(outcome.wrong)}")
            if verbose:
                click.echo(_difference(outcome))
    folders: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        folders[outcome.case.log.parent.name].append(outcome)
    click.echo(
        _table({**{name: count_figures(rows) for name, rows in folders.items()}, "all": count_figures(outcomes)})
    )
    raise SystemExit(1 if any(outcome.wrong for outcome in outcomes) else 0)


def _difference(outcome: Outcome) -> str:
    expect, found = outcome.case.expect, outcome.diagnosis
    wanted = (
        expect["category"],
        expect["root_lines"][:4],
        expect.get("first_rank"),
        expect["first_node"],
        expect.get("exit_code"),
    )
    got = (found.category, found.cause.line, found.first_failure.rank, found.first_failure.node, found.exit.code)
    return f"    expected {wanted}\n    answered {got} {found.signature} ({found.confidence})"


def _table(folders: dict[str, Figures]) -> str:
    heads = ["folder", "cases", *FIELDS, "false claims", "confirmed", "right & confirmed", "whole"]
    rows = [heads]
    for name, figures in folders.items():
        rows.append(
            [
                name,
                str(figures.cases),
                *(_share(figures.right[field], figures.of[field]) for field in FIELDS),
                _share(figures.false_claims, figures.unstated),
                _share(figures.confirmed_right, figures.confirmed),
                _share(figures.confirmed_right, figures.right_answers),
                _share(figures.whole, figures.cases),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _share(right: int, of: int) -> str:
    return f"{right}/{of} {100 * right / of:.0f}%" if of else "-"
