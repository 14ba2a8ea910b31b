"""Hits -> windows: the parts of a log in which every line is read in the second pass.

The end of the log, the surroundings of the first hits of each signature and label, and single lines where a marker
(a step, a success, who runs where) was seen far away from all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from diagnose.logs import Log
from diagnose.scan.scan import Hit, Scanned
from diagnose.signatures import Catalogue

TAIL_BYTES = 4 * 1024 * 1024
AROUND_BYTES = 256 * 1024
MOST_BYTES = 16 * 1024 * 1024
MOST_SINGLE_LINES = 20_000

Window = tuple[int, bytes]
"""The number of the first line, and the bytes."""


def cut_windows(log: Log, scanned: Scanned, catalogue: Catalogue) -> list[Window]:
    """The windows of one log in order, not overlapping, each beginning at the start of a line."""
    ranges = [(max(0, log.size - TAIL_BYTES), log.size)]
    budget = MOST_BYTES
    singles: list[Hit] = []
    for hits in _by_urgency(scanned, catalogue):
        for hit in hits:
            if budget > 0 and not hit.owner.startswith("@") and not _covered(ranges, hit):
                ranges.append((max(0, hit.start - AROUND_BYTES), min(log.size, hit.end + AROUND_BYTES)))
                budget -= 2 * AROUND_BYTES
            elif len(singles) < MOST_SINGLE_LINES:
                singles.append(hit)
    merged = _merge(ranges)
    ranges = _merge(merged + [(hit.start, hit.end) for hit in singles if not _covered(merged, hit)])
    return [window for start, end in ranges if (window := _read(log, scanned, start, end))]


def _by_urgency(scanned: Scanned, catalogue: Catalogue) -> Iterable[list[Hit]]:
    """Kept hits of each tally; causes before symptoms before exits, earlier ones first; benign ones not at all."""
    order = {"cause": 0, "symptom": 1, "exit": 2, "context": 3}

    def urgency(owner: str) -> int:
        return 3 if owner.startswith("@") else order.get(catalogue[owner].role, 9)

    tallies = [(urgency(owner), tally) for (owner, _), tally in scanned.tallies.items()]
    chosen = sorted((item for item in tallies if item[0] < 9), key=lambda item: (item[0], item[1].first[0].start))
    return [tally.kept for _, tally in chosen]


def _covered(ranges: Iterable[tuple[int, int]], hit: Hit) -> bool:
    return any(start <= hit.start and hit.end <= end for start, end in ranges)


def _merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _read(log: Log, scanned: Scanned, start: int, end: int) -> Window | None:
    """Read a range, moved to the next line's start, with the number of that line."""
    if start >= end:
        return None
    place = bisect_right(scanned.blocks, (start, 1 << 62)) - 1
    block_offset, number = scanned.blocks[place]
    number += log.read(block_offset, start).count(b"\n")
    data = log.read(start, end)
    if start > 0 and log.read(start - 1, start) != b"\n":
        cut = data.find(b"\n") + 1
        if cut == 0:
            return number, data  # a piece of an endless line
        number, data = number + 1, data[cut:]
    if end < log.size and not data.endswith(b"\n") and log.read(end, end + 1) != b"\n":
        data = data[: data.rfind(b"\n") + 1] or data
    return (number, data) if data else None
