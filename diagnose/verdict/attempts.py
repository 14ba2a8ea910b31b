"""The attempts in a log: restarts by a launcher, requeues by Slurm, another run whose log was appended to the same file.

A new attempt begins where a launcher or Slurm says that it starts again, where the folders of torchrun say so
(``attempt_1``), and where something is launched after the run before it had ended: with success, with exit reports, or
with a report of this tool, which a job script prints last. Where Slurm cancels another job, an earlier job's output
stands in the same file.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from diagnose.events import Facts, Line
from diagnose.verdict.order import Order

_JOB = re.compile(rb"\*\*\* (?:JOB|STEP) (\d+)\b")
_AGAIN = ("restart", "requeue")
_BEGIN = ("launch", "step")


class Attempts:
    """Where each attempt begins, and to which one a line belongs (numbered from 0)."""

    def __init__(self, facts: Facts, order: Order) -> None:
        self._order = order
        self.starts = sorted([*_cuts(facts, order), *_starts_of_folders(facts, order)], key=order.key)
        self._last_job = _start_of_the_last_job(facts)
        self.keys = [order.key(line) for line in self.starts]

    def number_of(self, line: Line) -> int:
        """The attempt of a line: what its path says, else how many began before it."""
        own = line.label.attempt
        return own if own is not None else bisect_right(self.keys, self._order.key(line))

    def is_of_an_earlier_job(self, line: Line) -> bool:
        """Whether a line stands before the output of another job in the same file: that one's end is what is asked for."""
        return self._last_job is not None and line.index < self._last_job


def _start_of_the_last_job(facts: Facts) -> int | None:
    """The index of the line behind the last one that Slurm printed for another job than the file's last one."""
    last, start = None, None
    for line in facts.text.lines:
        found = _JOB.search(line.text)
        if found is None:
            continue
        job = found.group(1)
        if last is not None and job != last[0] and line.file == last[1].file:
            start = last[1].index + 1
        last = job, line
    return start


def _cuts(facts: Facts, order: Order) -> list[Line]:
    launches = facts.of_kind("launches")
    ends = [
        mark.line for mark in [*facts.of_kind("success"), *launches] if mark.marker.row.get("kind") in (None, "end")
    ]
    ends += [death.line for death in facts.deaths]
    seen = [(line, "end") for line in ends]
    seen += [(mark.line, mark.marker.row["kind"]) for mark in launches if mark.marker.row["kind"] != "end"]
    cuts, ended = [], False
    for line, kind in sorted(seen, key=lambda item: order.key(item[0])):
        if kind == "end":
            ended = True
        elif kind in _AGAIN or (kind in _BEGIN and ended):
            cuts.append(line)
            ended = False
    return cuts


def _starts_of_folders(facts: Facts, order: Order) -> list[Line]:
    """The first line of each ``attempt_N`` but the first."""
    first: dict[int, Line] = {}
    for line in facts.text.lines:
        attempt = line.label.attempt
        if attempt and (attempt not in first or order.key(line) < order.key(first[attempt])):
            first[attempt] = line
    return [first[attempt] for attempt in sorted(first)]
