"""Lines of a page for people: headings, wrapped sentences, numbered steps; who prints them may colour them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

Style = Literal["plain", "headline", "good", "bad", "dim", "quote", "command", "heading"]

NARROWEST, WIDEST = 60, 100


@dataclass(frozen=True)
class Part:
    """One line of the report. ``whole`` lines are not to be wrapped by whoever prints them."""

    text: str
    style: Style = "plain"
    whole: bool = False


class Step(Protocol):
    """Something to do, and the command for it."""

    @property
    def do(self) -> str: ...

    @property
    def run(self) -> str | None: ...


def _lines(text: str, width: int) -> list[str]:
    """Ids and options hold hyphens: they stay whole."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def section(title: str, parts: list[Part]) -> list[Part]:
    """A heading with an empty line before it; nothing where there are no parts."""
    return [Part(""), Part(title, "heading"), *parts] if parts else []


def wrapped(text: str, width: int) -> list[Part]:
    """An indented paragraph."""
    return [Part("  " + line) for line in _lines(text, width - 2)]


def bullet(text: str, width: int) -> list[Part]:
    """One item of a list."""
    lines = _lines(text, width - 4)
    return [Part(("  - " if place == 0 else "    ") + line) for place, line in enumerate(lines)]


def steps(todo: Iterable[Step], width: int) -> list[Part]:
    """A numbered list; commands are never wrapped."""
    parts = []
    for number, step in enumerate(todo, 1):
        lines = _lines(step.do, width - 5)
        parts += [Part((f"  {number}. " if place == 0 else "     ") + line) for place, line in enumerate(lines)]
        if step.run:
            parts += [Part("     $ " + line, "command", whole=True) for line in step.run.splitlines()]
    return parts
