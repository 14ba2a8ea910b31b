"""What was survived: an error that the same rank, or a job whose ranks progress together, worked on after.

A survived event is demoted, not dropped. ``latent`` signatures (a dead helper thread, NaN) are cleared by a success
only. A success that the batch script or a launcher prints proves nothing about a rank that died.
"""

from __future__ import annotations

from bisect import bisect_right

from diagnose.events import Event, Facts, Line, Mark
from diagnose.verdict.order import Order

ENOUGH_STEPS = 2
"""One later step may have been under way; two different ones were not."""


class Survival:
    """Answers, for each line, whether the training went on after it."""

    def __init__(self, facts: Facts, order: Order) -> None:
        self.order = order
        self.steps = _sorted_steps(facts, order)
        self._keys = [key for key, _ in self.steps]
        self.successes = [mark for mark in facts.of_kind("success") if mark.marker.row.get("by") != "launcher"]
        self.launcher_successes = [mark for mark in facts.of_kind("success") if mark.marker.row.get("by") == "launcher"]

    def why_survived(self, event: Event) -> str | None:
        """The reason why an event did not end the job, or None."""
        success = self.success_after(event.line)
        if success is not None:
            return f"line {success.line.number} says that the training finished"
        if event.signature.latent == "yes":
            return None
        later = self.steps_after(event.line)
        if len(later) >= ENOUGH_STEPS:
            return f"the training went on: line {later[0].line.number} and {len(later) - 1} more steps follow"
        return None

    def steps_after(self, line: Line) -> list[Mark]:
        """The steps after a line; one for each step number, counted from the first that is new."""
        start = bisect_right(self._keys, self.order.key(line))
        found: list[Mark] = []
        seen: set[str | None] = set()
        for _, mark in self.steps[start:]:
            step = mark.captures.get("step")
            if step is None or step not in seen:
                seen.add(step)
                found.append(mark)
        return found

    def success_after(self, line: Line) -> Mark | None:
        """The training's own success message after a line."""
        return next((mark for mark in self.successes if self.order.key(mark.line) > self.order.key(line)), None)


def _sorted_steps(facts: Facts, order: Order) -> list[tuple[tuple[float, int], Mark]]:
    marks = [mark for mark in facts.of_kind("progress") if mark.marker.row.get("kind") != "loading"]
    return sorted(((order.key(mark.line), mark) for mark in marks), key=lambda item: item[0])
