"""Progress: which steps of the training are new from some point on, and whether they prove that it went on.

Bars that are printed once more when processes end repeat old numbers, so a step counts if it is beyond all before, or if a
whole series of steps begins anew (a restart).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

from diagnose.events import COUNT_DIGITS, Mark, whole_number

ENOUGH_STEPS = 2
"""One later step may have been under way; two different ones were not."""

ENOUGH_OF_A_SERIES = 4
"""So many rising steps in a row are a training that runs, whatever its numbers were before."""

MOST_NEW = 64
"""More new steps than this are not collected; they prove nothing more."""


class Progress:
    """The steps of a log in order of time, each asked about in the time of a lookup, however many there are."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self._marks = marks
        self._numbers = [step_number(mark) for mark in marks]
        known = [-1 if number is None else number for number in self._numbers]
        self._highest_before = [-1, *accumulate(known, max)]
        self._highest_from = [*reversed([*accumulate(reversed(known), max)]), -1]
        numbered = [place for place, number in enumerate(self._numbers) if number is not None]
        self._series = [
            window
            for window in zip(*(numbered[shift:] for shift in range(ENOUGH_OF_A_SERIES)), strict=False)
            if all(known[one] < known[two] for one, two in pairwise(window))
        ]
        self._series_starts = [window[0] for window in self._series]
        self._found: dict[int, list[Mark]] = {}

    def new_from(self, place: int) -> list[Mark]:
        """Marks of new steps at or behind a place in the order, one each; empty where they are too few to prove anything."""
        if place not in self._found:
            self._found[place] = self._look(place)
        return self._found[place]

    def _look(self, place: int) -> list[Mark]:
        first = bisect_left(self._series_starts, place)
        if first < len(self._series):
            return [self._marks[at] for at in self._series[first]]
        new: dict[int, Mark] = {}
        before = self._highest_before[place]
        if self._highest_from[place] > before:
            for number, mark in zip(self._numbers[place:], self._marks[place:], strict=True):
                if number is not None and number > before:
                    new.setdefault(number, mark)
                if len(new) >= MOST_NEW:
                    break
        if len(new) >= ENOUGH_STEPS:
            return list(new.values())
        unnumbered = [
            mark for number, mark in zip(self._numbers[place:], self._marks[place:], strict=True) if number is None
        ]
        return unnumbered[:MOST_NEW] if len(unnumbered) >= ENOUGH_OF_A_SERIES else []


def step_number(mark: Mark) -> int | None:
    """The step that a mark of progress states; None where it states none."""
    return whole_number(mark.captures.get("step"), COUNT_DIGITS)
