"""Which came first: clocks where they compare, the file's order where they do not.

Print order is not time order (buffers, merged files), so a clock of the form that most lines carry decides. A line
without one lies where the file puts it, after the latest clock before it. Times of different forms are never mixed,
for a log may hold UTC beside local time.
"""

from __future__ import annotations

from collections import Counter

from diagnose.events import Facts, Line

JITTER_SECONDS = 1.0
"""Clocks of different nodes within this much of each other do not order two lines."""


class Order:
    """Sort keys and comparisons for the lines of one log."""

    def __init__(self, facts: Facts) -> None:
        forms = Counter(line.clock.form for line in facts.text.lines if line.clock)
        interesting = Counter(event.line.clock.form for event in facts.events if event.line.clock)
        ranked = (interesting or forms).most_common(1)
        self.form = ranked[0][0] if ranked else None
        self._times: list[float] = []
        latest = float("-inf")
        for line in facts.text.lines:
            own = self.seconds(line)
            if own is not None:
                latest = max(latest, own)
            self._times.append(latest if own is None else own)

    def seconds(self, line: Line) -> float | None:
        """The line's own time, if its clock has the form that decides."""
        return line.clock.seconds if line.clock and line.clock.form == self.form else None

    def key(self, line: Line) -> tuple[float, int]:
        """Sorts lines by time, then by place."""
        return self._times[line.index], line.index

    def before(self, one: Line, two: Line) -> bool | None:
        """Whether ``one`` came before ``two``; None where the log does not tell."""
        if one.file == two.file and one.label.stream == two.label.stream and one.label.stream != (None,) * 5:
            return one.index < two.index
        first, second = self.seconds(one), self.seconds(two)
        if first is not None and second is not None:
            return None if abs(first - second) <= JITTER_SECONDS else first < second
        return None
