"""Prints a text report: coloured in a terminal, plain text anywhere else."""

from __future__ import annotations

import os
import shutil
from typing import IO, TYPE_CHECKING, Literal

from diagnose.report.layout import Part, Style

if TYPE_CHECKING:
    from rich.text import Text

Color = Literal["auto", "always", "never"]

_STYLES: dict[Style, str] = {
    "plain": "",
    "headline": "bold",
    "good": "bold green",
    "bad": "bold red",
    "dim": "dim",
    "quote": "yellow",
    "command": "cyan",
    "heading": "bold",
}


def is_colored(stream: IO[str], color: Color) -> bool:
    """Whether to colour: as asked, else in a terminal without NO_COLOR."""
    if color != "auto":
        return color == "always"
    return stream.isatty() and "NO_COLOR" not in os.environ


def terminal_width(stream: IO[str]) -> int:
    """Columns of the terminal (COLUMNS wins); 80 where there is none."""
    if stream.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size((80, 24)).columns
    return 80


def print_report(parts: list[Part], stream: IO[str], color: Color = "auto") -> None:
    """Write the parts, a line each."""
    if not is_colored(stream, color):
        stream.write("".join(part.text + "\n" for part in parts))
        return
    from rich.console import Console

    console = Console(file=stream, force_terminal=True, highlight=False, soft_wrap=True, color_system="standard")
    for part in parts:
        console.print(styled(part))


def styled(part: Part) -> Text:
    """One line of a report with its style. Text from logs is never read as markup."""
    from rich.text import Text

    return Text(part.text, style=_STYLES[part.style])
