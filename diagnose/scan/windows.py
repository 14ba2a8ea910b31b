"""Hits -> windows: the parts of a log in which every line is read in the second pass.

The beginning and the end of the log, the surroundings of the first hits of each signature and label, and single lines
where a marker (a step, a success, who runs where) was seen far away from all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from diagnose.logs import Log
from diagnose.scan.scan import TRACEBACK, Scanned, Span
from diagnose.signatures import Catalogue

HEAD_BYTES = 64 * 1024
WHOLE_BYTES = 4 * 1024 * 1024
"""A log that is no larger is read whole."""

TAIL_BYTES = 768 * 1024
AROUND_BYTES = 128 * 1024
MOST_BYTES = 3 * 1024 * 1024
LEAST_BYTES = 4 * 1024
"""However many files a job has, so much of each is read at its end and around a hit."""

MOST_WINDOWS_EACH = 4
"""Surroundings that are read of one owner's lines, whoever printed them: the first ones tell the most."""

MOST_SINGLE_LINES = 20_000

Window = tuple[int, bytes]
"""The number of the first line, and the bytes."""


def cut_windows(log: Log, scanned: Scanned, catalogue: Catalogue) -> list[Window]:
    """The windows of one log in order, not overlapping, each beginning at the start of a line."""
    head = max(LEAST_BYTES // 4, int(HEAD_BYTES * log.share))
    tail, around = (max(LEAST_BYTES, int(size * log.share)) for size in (TAIL_BYTES, AROUND_BYTES))
    ranges = [(0, min(head, log.size)), (max(0, log.size - tail), log.size)]
    budget = max(2 * LEAST_BYTES, int(MOST_BYTES * log.share))
    singles: list[Span] = list(scanned.samples)
    windows_of: Counter[str] = Counter()
    for owner, start, end in _by_urgency(scanned, catalogue):
        if _covered(ranges, start, end):
            continue
        if budget > 0 and windows_of[owner] < MOST_WINDOWS_EACH and _deserves_a_window(owner):
            windows_of[owner] += 1
            ranges.append((max(0, start - around), min(log.size, end + around)))
            budget -= 2 * around
        elif len(singles) < MOST_SINGLE_LINES:
            singles.append((start, end))
    merged = _merge(ranges)
    ranges = _merge(merged + [span for span in set(singles) if not _covered(merged, *span)])
    return list(_read(log, scanned.blocks, ranges))


def _deserves_a_window(owner: str) -> bool:
    return owner == TRACEBACK or not owner.startswith("@")


def _by_urgency(scanned: Scanned, catalogue: Catalogue) -> Iterator[tuple[str, int, int]]:
    """Kept lines of causes before tracebacks, symptoms, exits and marks; the first of each label before further ones."""
    order = {"cause": 0, "symptom": 2, "exit": 3, "context": 4}

    def urgency(owner: str) -> int:
        return 1 if owner == TRACEBACK else 5 if owner.startswith("@") else order[catalogue[owner].role]

    ranked = [
        (urgency(owner), place, span, owner)
        for (owner, _), tally in scanned.tallies.items()
        for place, span in enumerate(tally.kept)
    ]
    for _, _, (start, end), owner in sorted(ranked):
        yield owner, start, end


def _covered(ranges: Iterable[Span], start: int, end: int) -> bool:
    return any(low <= start and end <= high for low, high in ranges)


def _merge(ranges: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _read(log: Log, blocks: Sequence[tuple[int, int]], ranges: Sequence[Span]) -> Iterator[Window]:
    """Read the ranges, each moved to the next line's start, with the number of that line."""
    counted, number = 0, 1
    for start, end in ranges:
        if start >= end:
            continue
        place = bisect_right(blocks, (start, 1 << 62)) - 1
        if blocks[place][0] > counted:
            counted, number = blocks[place]
        number += log.read(counted, start).count(b"\n")
        counted = start
        first, data = number, log.read(start, end)
        if start > 0 and log.read(start - 1, start) != b"\n":
            cut = data.find(b"\n") + 1
            if 0 < cut < len(data):
                first, data = first + 1, data[cut:]  # else a piece of an endless line
        if end < log.size and not data.endswith(b"\n") and log.read(end, end + 1) != b"\n":
            data = data[: data.rfind(b"\n") + 1] or data
        if data:
            yield first, data
