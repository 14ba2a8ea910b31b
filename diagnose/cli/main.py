"""The command line: `slurm-doctor LOG…` diagnoses; every other command has a module of its own."""

from __future__ import annotations

import io
import os
import sys

import click

from diagnose.cli.check import check
from diagnose.cli.diagnose_logs import diagnose_logs
from diagnose.cli.hook import hook
from diagnose.cli.rules import rules
from diagnose.version import VERSION

_GROUP_OPTIONS = {"--help", "--version"}


class Doctor(click.Group):
    """A group whose default command is to diagnose: a first word that is no command is a log."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in _GROUP_OPTIONS:
            args = [diagnose_logs.name or "", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=Doctor,
    no_args_is_help=True,
    epilog="Without a command: slurm-doctor LOG... diagnoses logs; see slurm-doctor diagnose --help.",
)
@click.version_option(VERSION, prog_name="slurm-doctor")
def doctor() -> None:
    """Say what failed first in the log of a multi-node GPU job, on which rank and node, and what to do."""


for _command in (diagnose_logs, check, hook, rules):
    doctor.add_command(_command)


def run() -> None:
    """The entry point. A reader that closes the pipe early is a normal end."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        doctor()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
