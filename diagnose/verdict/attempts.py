"""The attempts in a log: restarts by torchelastic, requeues by Slurm, another launch of the training."""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.events import Facts
from diagnose.model import Incident
from diagnose.verdict.suspects import Suspect

_CUTS = ("restart", "requeue")


@dataclass(frozen=True)
class Attempt:
    """A range of line numbers of the first file, both ends included."""

    first: int
    last: int


def cut_attempts(facts: Facts) -> list[Attempt]:
    """Cut where a launcher or Slurm says that it starts again."""
    lines = facts.text.lines
    if not lines:
        return []
    cuts = sorted({mark.line.number for mark in facts.of_kind("launches") if mark.marker.row.get("kind") in _CUTS})
    starts = [lines[0].number, *(cut for cut in cuts if cut > lines[0].number)]
    ends = [start - 1 for start in starts[1:]] + [lines[-1].number]
    return [Attempt(first, last) for first, last in zip(starts, ends, strict=True)]


def tell_incidents(attempts: list[Attempt], root: Suspect | None, category: str) -> list[Incident]:
    """One incident for each attempt; the root's attempt carries its category."""
    incidents = []
    for number, attempt in enumerate(attempts):
        holds = root is not None and attempt.first <= root.line.number <= attempt.last
        last = number == len(attempts) - 1
        ended = "failed" if holds else "finished" if last and root is None else "restarted" if not last else "followed"
        incidents.append(
            Incident(
                attempt=number,
                phase="training",
                lines=(attempt.first, attempt.last),
                ended=ended,
                category=category if holds else "none" if root is None else "unknown",
                cause_line=root.line.number if holds and root else None,
            )
        )
    return incidents
