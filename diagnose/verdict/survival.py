"""What was survived: an error that the same rank, or a job whose ranks progress together, worked on after.

A survived event is demoted, not dropped. ``latent`` signatures (a dead helper thread, NaN) are cleared by a success
only. A success that the batch script or a launcher prints proves nothing about a rank that died.
"""

from __future__ import annotations

from bisect import bisect_right

from diagnose.events import Event, Facts, Line, Mark
from diagnose.verdict.attempts import Attempts
from diagnose.verdict.order import Order
from diagnose.verdict.progress import ENOUGH_OF_A_SERIES, Progress, step_number

ENDED_FROM_OUTSIDE = {"time-limit", "cancelled", "preempted", "node-failure"}
"""Categories that say who ended the job, not what was wrong with it."""

SURELY_ENOUGH_STEPS = 50
"""So many steps before a restart show that an error was not what made it necessary."""


class Survival:
    """Answers, for each line, whether the training went on after it."""

    def __init__(self, facts: Facts, order: Order, attempts: Attempts, failed: list[Line]) -> None:
        """``failed`` are the reports of processes that ended by themselves with a failure."""
        self.order = order
        self.failed = sorted(order.key(line) for line in failed)
        self.attempts = attempts
        self.steps = _sorted_steps(facts, order)
        self._ways: dict[int | None, _Way] = {None: _Way(self.steps)}
        said = facts.of_kind("success")
        self.successes = [mark for mark in said if _by_training(mark)]
        self.launcher_successes = [mark for mark in said if not _by_training(mark)]

    def why_survived(self, event: Event) -> str | None:
        """The reason why an event did not end the job, or None."""
        if self.attempts.is_of_an_earlier_job(event.line):
            return "it belongs to an earlier job, whose output stands in the same file"
        success = self.success_after(event.line)
        if success is not None and (not self.failed or _same_author(success.line, event.line)):
            return f"line {success.line.number} says that the training finished"
        if b"*** JOB " in event.line.text and self._said_by_a_script_after(event.line):
            return "another job, whose output stands in the same file, ended well after it"
        if event.signature.latent == "yes":
            return None
        if self.was_restarted(event.line) and not self._new_steps_after(event.line):
            return "another attempt was started after it, and ended well"
        later = self._new_steps_after(event.line)
        if event.raised is not None and event.raised.thread and not _are_many(later):
            return None
        restart = self._restart_after(event.line)
        if restart is not None and len(later) < SURELY_ENOUGH_STEPS:
            later = self._new_steps_after(restart)  # it may be what ended that attempt
        if (
            later
            and event.signature.emits == "exit"
            and not any(self.order.key(event.line) < key for key in self.attempts.keys)
        ):
            return None
        if event.category in ENDED_FROM_OUTSIDE and restart is None and len(later) < ENOUGH_OF_A_SERIES:
            return None  # what processes still print while they are ended
        if later and not self._died_before(event.line, later[0].line):
            return f"the training went on: {len(later)} more steps from line {later[0].line.number} on"
        return None

    def was_restarted(self, line: Line) -> bool:
        """Whether another attempt began after a line and trained on or ended well: then that line ended only its own."""
        if self.attempts.is_of_an_earlier_job(line):
            return True
        start = self._restart_after(line)
        if start is None:
            return False
        if self._new_steps_after(start):
            return True
        ended_well = [mark.line for mark in [*self.successes, *self.launcher_successes]]
        return any(self.order.key(other) > self.order.key(start) for other in ended_well) and not any(
            key > self.order.key(start) for key in self.failed
        )

    def _said_by_a_script_after(self, line: Line) -> bool:
        """Whether a batch script says behind a line that all is well: not the one whose job Slurm ended there."""
        return any(self.order.key(mark.line) > self.order.key(line) for mark in self.launcher_successes)

    def _restart_after(self, line: Line) -> Line | None:
        return next((other for other in self.attempts.starts if self.order.key(other) > self.order.key(line)), None)

    def _died_before(self, line: Line, step: Line) -> bool:
        """Whether a process failed between a line and the next step, and nothing was started again."""
        start, end = self.order.key(line), self.order.key(step)
        return any(start < key < end for key in self.failed) and not any(
            start < key < end for key in self.attempts.keys
        )

    def _new_steps_after(self, line: Line) -> list[Mark]:
        """Steps that were reached after a line, one mark each; empty where they are too few to prove anything.

        Where no clock tells when the line was printed, only steps in its own file are known to come after it.
        """
        file = None if self.order.has_time(line) else line.file
        if file not in self._ways:
            self._ways[file] = _Way([step for step in self.steps if step[1].line.file == file])
        return self._ways[file].new_after(self.order.surely_after(line))

    def success_after(self, line: Line) -> Mark | None:
        """The training's own success message after a line."""
        return next((mark for mark in self.successes if self.order.key(mark.line) > self.order.key(line)), None)

    def success_before(self, line: Line) -> Mark | None:
        """The last of the training's success messages before a line, in the line's own attempt."""
        said = [mark for mark in self.successes if self.order.key(mark.line) < self.order.key(line)]
        number = self.attempts.number_of(line)
        return said[-1] if said and self.attempts.number_of(said[-1].line) == number else None


class _Way:
    """The steps of the whole job in order of time, or those of one file in its order."""

    def __init__(self, steps: list[tuple[tuple[float, int], Mark]]) -> None:
        self._keys = [key for key, _ in steps]
        self._progress = Progress([mark for _, mark in steps])

    def new_after(self, key: tuple[float, int]) -> list[Mark]:
        return self._progress.new_from(bisect_right(self._keys, key))


def _are_many(later: list[Mark]) -> bool:
    """So many steps that they were not done out of a queue that was full already."""
    numbers = [number for mark in later if (number := step_number(mark)) is not None]
    return len(later) >= SURELY_ENOUGH_STEPS or (bool(numbers) and max(numbers) - min(numbers) >= SURELY_ENOUGH_STEPS)


def _by_training(mark: Mark) -> bool:
    """Whether a rank says it: by the form of the message, or because the line carries a rank's label."""
    label = mark.line.label
    return mark.marker.row.get("by") != "launcher" or label.rank is not None or label.task is not None


def _same_author(one: Line, two: Line) -> bool:
    """Whether both lines carry a label and it is the same."""
    return one.label.stream == two.label.stream and one.label.stream != (None,) * 5


def _sorted_steps(facts: Facts, order: Order) -> list[tuple[tuple[float, int], Mark]]:
    marks = [mark for mark in facts.of_kind("progress") if mark.marker.row.get("kind") != "loading"]
    return sorted(((order.step_key(mark.line), mark) for mark in marks), key=lambda item: item[0])
