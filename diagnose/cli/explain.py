"""`slurm-doctor explain WHAT`: what a code, a state or a signature means, without a log."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from diagnose.cli.rules_option import rules_option

NOT_KNOWN = 2


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from diagnose.cli.complete import complete_categories, complete_ids

    return [*complete_categories(ctx, param, incomplete), *complete_ids(ctx, param, incomplete)]


@click.command("explain", context_settings={"ignore_unknown_options": True})
@click.argument("what", nargs=-1, required=True, metavar="WHAT...", shell_complete=_complete)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@rules_option
def explain(what: tuple[str, ...], form: str, rules: tuple[Path, ...]) -> None:
    """Say what WHAT means and what to do: an exit code, a signal, an Xid, a Slurm state, a signature ...

    \b
    slurm-doctor explain 137              an exit code; also 9:0 or 0:9 (sacct), -11, exit 127
    slurm-doctor explain SIGKILL          a signal
    slurm-doctor explain xid 79           a code of the NVIDIA driver; also sxid 20034, ib 12
    slurm-doctor explain ENOSPC           an error number; also errno 28
    slurm-doctor explain NODE_FAIL        a state of Slurm, or a reason such as NodeDown
    slurm-doctor explain ncclSystemError  a result of NCCL
    slurm-doctor explain gpu-memory       a category or a signature

    A word with several meanings gets them all; --format json gives them as a list. Exit status 2 where nothing is known
    of WHAT.
    """
    import sys

    import msgspec

    from diagnose.explain import find_readings, near_names
    from diagnose.report import print_report, terminal_width, text_readings
    from diagnose.signatures import load_catalogue
    from diagnose.verdict import visible

    phrase = " ".join(what)
    catalogue = load_catalogue(rules)
    readings = find_readings(phrase, catalogue)
    if not readings:
        near = near_names(phrase, catalogue)
        hint = f"; near to it: {', '.join(near)}" if near else "; see slurm-doctor explain --help"
        click.echo(f"slurm-doctor: nothing is known of {visible(phrase)!r}{hint}", err=True)
        raise SystemExit(NOT_KNOWN)
    if form == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(readings), indent=2).decode())
    else:
        print_report(text_readings(readings, terminal_width(sys.stdout)), sys.stdout)
