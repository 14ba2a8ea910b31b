"""Which came first: clocks where they compare, the file's order where they do not.

Print order is not time order: standard output is buffered, files are merged, ``tee`` reorders. So clocks decide. But
nodes' clocks differ, and one log may hold UTC beside local time: the lines of each clock (a form of time on one node or
stream) are shifted by what separates them, in the middle, from their neighbours with the clock that most lines carry.
A line without a clock comes after the latest one before it in the file.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import median

from diagnose.events import Facts, Line

JITTER_SECONDS = 1.0
"""Times of one clock within this much of each other do not order two lines."""

SKEW_SECONDS = 120.0
"""Two clocks are taken to agree if they seem to differ by less: that much is what buffers do."""

LONGEST_BUFFER_SECONDS = 3600.0

ClockKey = tuple[str, object]


class Order:
    """Sort keys and comparisons for the lines of one log."""

    def __init__(self, facts: Facts) -> None:
        lines = facts.text.lines
        self._one_file = len({line.file for line in lines}) < 2
        counts = Counter(key for line in lines if (key := _clock_of(line)) is not None)
        self._main = counts.most_common(1)[0][0] if counts else None
        self._shifts = self._measure_shifts(lines)
        self._times, self._stream_times = self._place(lines)
        self._lateness = self._measure_lateness(facts)

    def seconds(self, line: Line) -> float | None:
        """The line's own time on the main clock, or None where it has none."""
        key = _clock_of(line)
        if key is None or line.clock is None:
            return None
        return _own_seconds(line) + self._shifts.get(key, 0.0)

    def key(self, line: Line) -> tuple[float, int]:
        """Sorts lines by whole seconds (some clocks have no finer ones), then by place."""
        return _floor(self._times[line.index]), line.index

    def step_key(self, line: Line) -> tuple[float, int]:
        """Like ``key`` for a step: standard output may be printed late, so a step without a clock follows the one before."""
        return _floor(self._stream_times[line.index]), line.index

    def surely_after(self, line: Line) -> tuple[float, int]:
        """What the ``step_key`` of a step must exceed to have been done after a line, buffers included."""
        if not self._lateness:
            return self.key(line)
        time = self._times[line.index]
        if time == float("-inf"):
            time = next((own for index, own in self._prompt if index > line.index), time)
        return time + self._lateness, len(self._times)

    def has_time(self, line: Line) -> bool:
        """Whether a clock tells when a line was printed, its own or one above it in the file; one file needs none."""
        return self._one_file or self._times[line.index] != float("-inf")

    def before(self, one: Line, two: Line) -> bool | None:
        """Whether ``one`` came before ``two``; None where the log does not tell."""
        if one.file == two.file and one.label.stream == two.label.stream and one.label.stream != (None,) * 5:
            return one.index < two.index
        first, second = self.seconds(one), self.seconds(two)
        if first is not None and second is not None:
            shifted = any(self._shifts.get(key) for key in (_clock_of(one), _clock_of(two)) if key)
            close = SKEW_SECONDS if shifted and _clock_of(one) != _clock_of(two) else JITTER_SECONDS
            return None if abs(first - second) <= close else first < second
        return None

    def _measure_shifts(self, lines: list[Line]) -> dict[ClockKey, float]:
        """By how much each clock has to be moved to agree with the main one.

        Each line bounds the shift of its clock: moved, it must lie between the main clock's lines around it, which are
        those of its own file.
        """
        stamped = [(line.file, key, _own_seconds(line)) for line in lines if (key := _clock_of(line)) is not None]
        after = [float("inf")] * len(stamped)
        upcoming, file = float("inf"), None
        for place in range(len(stamped) - 1, -1, -1):
            if stamped[place][0] != file:
                upcoming, file = float("inf"), stamped[place][0]
            after[place] = upcoming
            if stamped[place][1] == self._main:
                upcoming = stamped[place][2]
        lowest: dict[ClockKey, list[float]] = defaultdict(list)
        highest: dict[ClockKey, list[float]] = defaultdict(list)
        latest, file = float("-inf"), None
        for place, (own_file, key, own) in enumerate(stamped):
            if own_file != file:
                latest, file = float("-inf"), own_file
            if key == self._main:
                latest = own
            else:
                lowest[key].append(latest - own)
                highest[key].append(after[place] - own)
        return {key: shift for key in lowest if (shift := _shift(median(lowest[key]), median(highest[key])))}

    def _measure_lateness(self, facts: Facts) -> float:
        """By how many seconds steps reach the file later than lines that are younger: 0 where nothing is buffered."""
        steps = {mark.line.index for mark in facts.of_kind("progress")}
        self._prompt = [
            (line.index, own)
            for line in facts.text.lines
            if line.index not in steps and (own := self.seconds(line)) is not None
        ]
        late = 0.0
        for mark in facts.of_kind("progress"):
            own = self.seconds(mark.line)
            if own is not None and mark.line.index > 0:
                late = max(late, self._latest[mark.line.index - 1] - own)
        return late if JITTER_SECONDS < late < LONGEST_BUFFER_SECONDS else 0.0

    def _place(self, lines: list[Line]) -> tuple[list[float], list[float]]:
        """For each line its time, or the latest before it in the file; and the same within its stream."""
        times, stream_times = [], []
        self._latest: list[float] = []
        latest = float("-inf")
        last_of_stream: dict[object, float] = {}
        file = None
        for line in lines:
            if line.file != file:
                file, latest = line.file, float("-inf")  # files lie beside each other, not one after the other
            stream = (line.file, line.label.stream)
            own = self.seconds(line)
            if own is not None:
                latest = max(latest, own)
                last_of_stream[stream] = own
            self._latest.append(latest)
            times.append(latest if own is None else own)
            if own is None and line.label.stream != (None,) * 5:
                own = last_of_stream.get(stream)
            stream_times.append(latest if own is None else own)
        return times, stream_times


def _floor(seconds: float) -> float:
    return math.floor(seconds) if math.isfinite(seconds) else seconds


def _shift(low: float, high: float) -> float:
    """The smallest move that brings a clock between its bounds; 0 where it is there already."""
    if low - SKEW_SECONDS <= 0 <= high + SKEW_SECONDS:
        return 0.0
    bounds = [bound for bound in (low, high) if abs(bound) != float("inf")]
    return sum(bounds) / len(bounds) if bounds else 0.0


def _own_seconds(line: Line) -> float:
    clock = line.clock
    assert clock is not None
    return clock.of_year if clock.of_year is not None else clock.seconds


def _clock_of(line: Line) -> ClockKey | None:
    """The clock that stamped a line: its form, and the node or stream that it runs on."""
    if line.clock is None:
        return None
    label = line.label
    place: object = label.host if label.host else label.stream
    return line.clock.form, place
