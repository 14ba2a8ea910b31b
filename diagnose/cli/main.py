"""The command line: `slurm-doctor LOG…` diagnoses; every command has a module of its own, imported when it is called."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from diagnose.cli.entry import Interruptible
from diagnose.version import VERSION

PROGRAM = "slurm-doctor"
DEFAULT = "diagnose"
COMMANDS = {
    "diagnose": "diagnose.cli.diagnose_logs:diagnose_logs",
    "explain": "diagnose.cli.explain:explain",
    "check": "diagnose.cli.check:check",
    "hook": "diagnose.cli.hook:hook",
    "rules": "diagnose.cli.rules:rules",
    "completion": "diagnose.cli.completion:completion",
}
"""Names of commands, in the order of the help, and where each is defined (module:attribute)."""

_GROUP_OPTIONS = {"--help", "--version"}


class Doctor(click.Group):
    """A group whose default command is to diagnose: a first word that is no command is a log."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in COMMANDS and args[0] not in _GROUP_OPTIONS:
            self._must_be_a_log(args[0], ctx)
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    @staticmethod
    def _must_be_a_log(word: str, ctx: click.Context) -> None:
        """Refuse what is no file but nearly a command: a mistyped one."""
        if word.startswith("-") or os.path.exists(word):
            return
        from difflib import get_close_matches

        near = get_close_matches(word, COMMANDS, 1, 0.7)
        if near:
            ctx.fail(f"{word}: no such file, and no command; did you mean {near[0]!r}?")

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and options; where none begins so, the files that the default command would diagnose."""
        default = self.get_command(ctx, DEFAULT)
        assert default is not None
        found = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            found += default.shell_complete(click.Context(default, ctx, DEFAULT, resilient_parsing=True), incomplete)
            return list({item.value: item for item in found}.values())
        return found or [CompletionItem(incomplete, type="file")]


@click.group(
    cls=Doctor,
    no_args_is_help=True,
    epilog="Without a command: slurm-doctor LOG... diagnoses logs; see slurm-doctor diagnose --help.",
)
@click.version_option(VERSION, prog_name=PROGRAM)
def doctor() -> None:
    """Say what failed first in the log of a multi-node GPU job, on which rank and node, and what to do."""


def run() -> None:
    """Run the command of the arguments. A reader that closes the pipe early is a normal end."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:  # the caller closed it: nobody reads
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        try:
            with Interruptible():
                doctor(prog_name=PROGRAM)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence()
        raise SystemExit(0) from None
    except OSError as error:
        _silence()
        click.echo(f"{PROGRAM}: the output cannot be written: {error.strerror or error}", err=True)
        raise SystemExit(2) from None


def _silence() -> None:
    """What is still buffered goes nowhere, so that the interpreter does not try to write it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
