"""The timeline: the few moments that a reader wants to see in order."""

from __future__ import annotations

from diagnose.events import Facts, Line
from diagnose.model import StoryLine
from diagnose.verdict.story import shown
from diagnose.verdict.survival import Survival
from diagnose.verdict.suspects import Suspect


def tell_timeline(facts: Facts, survival: Survival, root: Suspect, names: list[str]) -> list[StoryLine]:
    """First line with a time, first and last step, last checkpoint, the cause, the end."""
    moments: list[tuple[Line, str]] = []
    timed = [line for line in facts.text.lines if line.clock and line.clock.iso]
    if timed:
        moments.append((timed[0], "the log begins"))
    if survival.steps:
        moments += [(survival.steps[0][1].line, "first step"), (survival.steps[-1][1].line, "last step")]
    checkpoints = facts.of_kind("checkpoints")
    if checkpoints:
        moments.append((checkpoints[-1].line, "last checkpoint"))
    rows = [_row(line, text, "context", names) for line, text in moments]
    rows.append(_row(root.line, shown(root.line), "cause", names))
    if timed:
        rows.append(_row(timed[-1], "the log ends", "context", names))
    return sorted(rows, key=lambda row: row.line or 0)


def _row(line: Line, text: str, role: str, names: list[str]) -> StoryLine:
    time = line.clock.iso if line.clock else None
    return StoryLine(
        time,
        line.label.rank,
        line.label.host,
        names[line.file],
        line.number,
        text,
        "cause" if role == "cause" else "context",
    )
