"""`slurm-doctor LOG…`: the default command."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from diagnose.cli.rules_option import rules_option
from diagnose.diagnosis import Options, diagnose, diagnose_together
from diagnose.logs import Unreadable
from diagnose.model import Diagnosis
from diagnose.report import (
    Color,
    ProgressBar,
    can_show_progress,
    json_report,
    one_line,
    print_report,
    terminal_width,
    text_report,
)
from diagnose.signatures import load_catalogue
from diagnose.verdict import visible

FAILED, UNUSABLE, CANNOT_TELL = 1, 2, 3


@click.command("diagnose")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=click.Path(readable=False))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print."
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to a file.")
@rules_option
@click.option(
    "--baseline",
    type=click.Path(readable=False),
    metavar="GOOD_LOG",
    help="The log of a good run: what it says too is no evidence of an unknown failure.",
)
@click.option("--together", is_flag=True, help="The logs are the files of one job.")
@click.option("--exit-code", type=int, metavar="N", help="The exit code of the job, where the caller knows it.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever was found (for hooks).")
@click.option("-v", "--verbose", is_flag=True, help="Show all evidence and why other candidates lost.")
@click.option("-q", "--quiet", is_flag=True, help="One line only.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in the text report."
)
def diagnose_logs(
    logs: tuple[str, ...],
    form: str,
    output: Path | None,
    rules: tuple[Path, ...],
    baseline: str | None,
    together: bool,
    exit_code: int | None,
    exit_zero: bool,
    verbose: bool,
    quiet: bool,
    color: Color,
) -> None:
    """Say what failed first in the log of a job, on which rank and node, why the rest followed, and what to do.

    LOG is a file, a folder with the files of one job (of each rank or node, stdout and stderr), or - for standard input;
    what gzip, xz, bzip2 or zstd packed is read as it is. Several logs are several jobs, unless --together says
    that they are one.

    Exit status: 0 no failure found, 1 a failure was diagnosed, 2 usage or unreadable input, 3 cannot tell.
    """
    if output is not None and any(
        os.path.exists(log) and output.exists() and os.path.samefile(log, output) for log in logs
    ):
        raise click.UsageError(f"{output}: is the log itself; the report would overwrite it")
    if output is not None and (problem := _cannot_write(output)):
        _fail(f"{output}: {problem}")
    catalogue = load_catalogue(rules)
    options = Options(rules=rules, baseline=baseline, exit_code=exit_code)
    found: list[Diagnosis | None] = []
    for job in [logs] if together else [(log,) for log in logs]:
        try:
            with _progress_bar("-" in (*job, baseline), form, quiet, color) as bar:
                shown = replace(options, progress=bar)
                found.append(
                    diagnose_together(job, shown, catalogue) if together else diagnose(job[0], shown, catalogue)
                )
        except ValueError as problem:
            raise click.UsageError(str(problem)) from None
        except Unreadable as problem:
            click.echo(f"slurm-doctor: {visible(str(problem))}", err=True)
            found.append(None)
    read = [one for one in found if one is not None]
    if read:
        names = [""] if together or len(logs) == 1 else list(logs)
        _write(list(zip(names, found, strict=True)), form, output, verbose, quiet, color)
    raise SystemExit(0 if exit_zero else UNUSABLE if len(read) < len(found) else exit_status(read))


def exit_status(found: list[Diagnosis]) -> int:
    """1 where any job failed, else 3 where any cannot be told, else 0."""
    verdicts = {one.verdict for one in found}
    return FAILED if "failed" in verdicts else CANNOT_TELL if "unknown" in verdicts else 0


def _progress_bar(from_stdin: bool, form: str, quiet: bool, color: Color) -> ProgressBar | nullcontext[None]:
    """A bar for the person who waits, nothing for a program that reads the answer or where a person types the log."""
    for_a_program = quiet or (form == "json" and not sys.stdout.isatty())
    typed = from_stdin and sys.stdin is not None and sys.stdin.isatty()
    if for_a_program or typed or not can_show_progress(sys.stderr):
        return nullcontext()
    return ProgressBar(sys.stderr, color)


def _cannot_write(output: Path) -> str:
    """Why a report cannot be written there, known before a long log is read; empty where nothing speaks against it."""
    there = output if output.exists() else output.parent
    if not there.exists():
        return os.strerror(errno.ENOENT)
    if output != there and not there.is_dir():
        return os.strerror(errno.ENOTDIR)
    return "" if os.access(there, os.W_OK) else os.strerror(errno.EACCES)


def _fail(message: str) -> NoReturn:
    click.echo(f"slurm-doctor: {visible(message)}", err=True)
    raise SystemExit(UNUSABLE)


Named = tuple[str, Diagnosis | None]
"""A job's log, named where there are several, and its answer; None where it could not be read."""


def _write(found: list[Named], form: str, output: Path | None, verbose: bool, quiet: bool, color: Color) -> None:
    if output is None:
        _print(found, sys.stdout, form, verbose, quiet, color)
        return
    try:
        with output.open("w", encoding="utf-8") as stream:
            _print(found, stream, form, verbose, quiet, color)
    except OSError as error:
        _fail(f"{output}: {error.strerror or error}")


def _print(found: list[Named], stream: Any, form: str, verbose: bool, quiet: bool, color: Color) -> None:
    if form == "json":
        stream.write(json_report([one for _, one in found]))
        return
    for name, one in found:
        if one is None:
            continue
        if quiet:
            stream.write((f"{visible(name)}: " if name else "") + one_line(one) + "\n")
            continue
        if name:
            stream.write(f"{visible(name)}\n")
        print_report(text_report(one, terminal_width(stream), verbose), stream, color)
