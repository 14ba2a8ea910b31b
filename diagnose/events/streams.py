"""Lines -> streams: what one process printed, in its own order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from diagnose.events.lines import Line


def split_streams(lines: Iterable[Line]) -> list[list[Line]]:
    """Sort lines into one list per file and label, in order of first appearance."""
    streams: dict[tuple[object, ...], list[Line]] = defaultdict(list)
    for line in lines:
        streams[line.file, line.label.stream].append(line)
    return list(streams.values())
