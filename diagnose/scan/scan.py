"""The first pass: every byte once, literals first, each hit confirmed by its owner's pattern on its own line.

State is bounded: per owner and label the first few hits, the last one and a count are kept, whatever the log's size.
A match that spans more than ``REACH`` bytes of one line is not seen; in an endless line it may be counted twice.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from diagnose.logs import BLOCK_BYTES, Log, segments
from diagnose.scan.engine import Engine
from diagnose.signatures import Catalogue, search

REACH = 8 * 1024
KEPT_FIRST = 3
KEPT_LAST = 2
MOST_TALLIES = 200_000
TRACEBACK = "@traceback"
"""The owner of hits on a traceback's first line, which no signature needs to ask for."""

_TRACEBACK_HEAD = b"Traceback (most recent call last)"
_LABEL = re.compile(
    rb"\s*(?:\d{1,6}: ?)?(?:\[\d+(?:,\d+)?\](?:<\w+>)?: ?)?(?:\(\w+ pid=\d+[^)]*\) ?)?"
    rb"(?:\[default\d+\]: ?)?(?:\[rank\d+\]: ?)?(?:[\w.-]{1,40}: (?=\[rank))?"
)
"""The launcher labels of a line, near enough to count by and to try anchored patterns behind."""


@dataclass(slots=True)
class Hit:
    """One confirmed line. ``start`` and ``end`` are byte offsets of the line, without its newline."""

    owner: str
    number: int
    start: int
    end: int


@dataclass
class Tally:
    """What is kept of one owner on one label."""

    count: int = 0
    first: list[Hit] = field(default_factory=list)
    last: deque[Hit] = field(default_factory=lambda: deque(maxlen=KEPT_LAST))

    def add(self, hit: Hit) -> None:
        self.count += 1
        if len(self.first) < KEPT_FIRST:
            self.first.append(hit)
        else:
            self.last.append(hit)

    @property
    def kept(self) -> list[Hit]:
        return [*self.first, *self.last]


@dataclass
class Scanned:
    """The result of the first pass over one log. ``blocks`` give (offset, number of the line that begins there)."""

    tallies: dict[tuple[str, bytes], Tally] = field(default_factory=dict)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    lines: int = 0


def scan_log(log: Log, catalogue: Catalogue, engine: Engine, block_bytes: int = BLOCK_BYTES) -> Scanned:
    """Find every line that a signature or a marker has something to say about."""
    scanned = Scanned()
    number = 1
    for offset, block in log.blocks(block_bytes):
        scanned.blocks.append((offset, number))
        counted = 0
        here = number
        for owner, start, end in sorted(_confirmed(block, catalogue, engine), key=lambda found: found[1]):
            here += block.count(b"\n", counted, start)
            counted = start
            label = _LABEL.match(block, start, end)
            key = (owner, label.group().strip() if label else b"")
            if key not in scanned.tallies and len(scanned.tallies) >= MOST_TALLIES:
                key = (owner, b"")
            hit = Hit(owner, here, offset + start, offset + end)
            scanned.tallies.setdefault(key, Tally()).add(hit)
        number += block.count(b"\n")
        scanned.lines = number - block.endswith(b"\n")
    return scanned


def _confirmed(block: bytes, catalogue: Catalogue, engine: Engine) -> Iterator[tuple[str, int, int]]:
    """Yield (owner, start, end) of each line in the block that an owner's pattern matches."""
    at = block.find(_TRACEBACK_HEAD)
    while at >= 0:
        yield TRACEBACK, *_bounds(block, at)
        at = block.find(_TRACEBACK_HEAD, at + 1)
    asked: set[tuple[int, str]] = set()
    for hit_end, literal_id in engine.scan(block):
        start, end = _bounds(block, hit_end - 1)
        for owner in catalogue.literals[literal_id].owners:
            if (start, owner) in asked:
                continue
            asked.add((start, owner))
            if _holds(owner, block[start:end], catalogue):
                yield owner, start, end


def _bounds(block: bytes, at: int) -> tuple[int, int]:
    """The line around an offset, at most ``REACH`` bytes to each side."""
    start = block.rfind(b"\n", max(0, at - REACH), at) + 1 or max(0, at - REACH)
    end = block.find(b"\n", at, at + REACH)
    return start, end if end >= 0 else min(len(block), at + REACH)


def _holds(owner: str, raw: bytes, catalogue: Catalogue) -> bool:
    marker = catalogue.markers.get(owner)
    patterns = [marker.pattern] if marker else catalogue[owner].match
    texts = segments(raw)
    texts += [text[label.end() :] for text in texts if (label := _LABEL.match(text)) and label.end()]
    return any(search(pattern, text) is not None for text in texts for pattern in patterns)
