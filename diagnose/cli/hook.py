"""`slurm-doctor hook`: what to put into a job script so that it is diagnosed when it ends."""

from __future__ import annotations

import click

HOOK_LINE = """trap 'rc=$?; timeout -k 1 20 slurm-doctor --exit-code "$rc" "$(readlink "/proc/$$/fd/1")" || :; exit "$rc"' EXIT"""


@click.group()
def hook() -> None:
    """Diagnose a job where it ends."""


@hook.command("print")
def print_hook() -> None:
    """Print the line to paste into a job script, right after the #SBATCH lines and before the first command.

    It diagnoses the job's own log when the script ends, also at the time limit and after scancel, and never changes
    the job's exit status: a doctor that is missing, fails or hangs (for more than 20 s) does no harm.
    """
    click.echo(HOOK_LINE)
