"""Nothing known explains the failure: the lines that a person would look at first.

A line counts for more the rarer its template is, the fewer streams print it, the later it stands, and if a good log
(``--baseline``) does not have it. Without such a log only lines with a word of trouble in them are considered.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Set

from diagnose.events import Facts, Line, template

MOST = 3

_TROUBLE = re.compile(
    rb"(?i)error|fail|fatal|abort|exception|denied|cannot|can't|could not|unable|not found|invalid|missing|illegal|refused"
    rb"|timed? ?out|killed|corrupt|unexpected|mismatch|exceed|panic|assert"
)
_FRAME_OF_A_REPORT = re.compile(rb"\s*(?:\S*|Root Cause.{0,40}:|\S+ FAILED)\s*")
"""Lines that hold no more than one word, and the headings of torchelastic's report."""


def templates_of(lines: Iterable[Line]) -> set[str]:
    """The templates of all lines of a good log, to be held against a bad one."""
    return {template(line.plain) for line in lines}


def _says_trouble(line: Line) -> bool:
    """Whether a line has a word of trouble and says more than a heading."""
    return _TROUBLE.search(line.text) is not None and _FRAME_OF_A_REPORT.fullmatch(line.plain) is None


def best_evidence(facts: Facts, known: Set[str] = frozenset()) -> list[Line]:
    """At most ``MOST`` lines, in the order of the log. ``known`` are templates of a good log."""
    spoken_for = {event.line.index for event in facts.events} | {mark.line.index for mark in facts.marks}
    spoken_for |= {index for death in facts.deaths for index in death.told_in}
    groups: dict[str, list[Line]] = defaultdict(list)
    for line in facts.text.lines:
        if line.index in facts.text.code or line.index in spoken_for or not line.plain.strip():
            continue
        if not known and not _says_trouble(line):
            continue
        groups[template(line.plain)].append(line)
    total = max(1, len(facts.text.lines))

    def weight(item: tuple[str, list[Line]]) -> float:
        lines = item[1]
        streams = len({(line.file, line.label.stream) for line in lines})
        return 1 / len(lines) + 1 / streams + lines[-1].index / total

    ranked = sorted((item for item in groups.items() if item[0] not in known), key=weight, reverse=True)
    return sorted((lines[0] for _, lines in ranked[:MOST]), key=lambda line: line.index)
