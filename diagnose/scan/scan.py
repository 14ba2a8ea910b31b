"""The first pass: every byte once, literals first, each hit confirmed by its owner's pattern on its own line.

It looks for what may be a cause or a consequence and for what tells who runs where. Noise that is known to be harmless and
the steps of the training, which make up most of a log, are left to the second pass; of the steps a sample is taken, one
short piece in every ``SAMPLE_EVERY`` bytes, since progress after an error tells that it was survived.

State is bounded, whatever the log's size: per owner and label the first few lines and the last ones. Once the first are
found, a further line costs no more than being noted: only the last few are confirmed, at the end.

A match that spans more than ``REACH`` bytes of one line is not seen; in an endless line it may be counted twice.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from diagnose.logs import BLOCK_BYTES, REACH, Block, Log, segments
from diagnose.scan.engine import Engine, choose_engine
from diagnose.signatures import Catalogue, Literal, search

KEPT_FIRST = 2
KEPT_LAST = 1
NOTED_LAST = 16
"""Unconfirmed lines that are remembered for the last ones."""

MOST_IN_VAIN = 8
"""So often a pattern is asked about lines of one label with the same literals, and all its texts, before it is given up."""

MOST_TALLIES = 200_000
SAMPLE_EVERY = 512 * 1024
SAMPLE_BYTES = 4 * 1024
MOST_SAMPLES = 500

TRACEBACK = "@traceback"
"""The owner of hits on a traceback's first line, which no signature needs to ask for."""

_LABEL = re.compile(
    rb"\s*(?:\d{1,6}: ?)?(?:\[\d+(?:,\d+)?\](?:<\w+>)?: ?)?(?:\(\w+ pid=\d+[^)]*\) ?)?"
    rb"(?:\[default\d+\]: ?)?(?:\[rank\d+\]: ?)?(?:[\w.-]{1,40}: (?=\[rank))?"
)
"""The launcher labels of a line, near enough to count by and to try anchored patterns behind."""

Span = tuple[int, int]
"""Byte offsets of a line in the log, without its newline."""


@dataclass(slots=True)
class Tally:
    """What is kept of one owner on one label."""

    first: list[Span] = field(default_factory=list)
    noted: deque[Span] = field(default_factory=lambda: deque(maxlen=NOTED_LAST))
    last: list[Span] = field(default_factory=list)

    @property
    def kept(self) -> list[Span]:
        """The first lines of one label and its last one: what lies between repeats them."""
        return [*self.first, *self.last]


@dataclass
class Scanned:
    """The result of the first pass over one log.

    ``blocks`` give (offset, number of the line that begins there); ``samples`` are lines with a step, from all over.
    """

    tallies: dict[tuple[str, bytes], Tally] = field(default_factory=dict)
    samples: list[Span] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    lines: int = 0


class Scanner:
    """The first pass over the logs of one job: engines are built once, for about so many bytes."""

    def __init__(self, catalogue: Catalogue, expected_bytes: int) -> None:
        head = Literal(b"Traceback (most recent call last)", False, ((TRACEBACK, 0),))
        self._catalogue = catalogue
        self._literals = [*catalogue.surveyed, head]
        self._sampler = choose_engine(catalogue.sampled, SAMPLE_BYTES * MOST_SAMPLES)
        self.engine = choose_engine(self._literals, expected_bytes)

    def scan(self, log: Log, block_bytes: int = BLOCK_BYTES) -> Scanned:
        """Find every line that a cause, a consequence or a marker has something to say about, as far as it is kept."""
        scanned = Scanned()
        number = 1
        confirming = _Confirming(self._literals, self._catalogue, scanned.tallies)
        for block, hits in _searched(log.blocks(block_bytes), self.engine):
            scanned.blocks.append((block.offset, number))
            number += block.new_lines
            confirming.look(block, hits())
            scanned.lines = number - block.data.endswith(b"\n")
        _confirm_last(log, self._catalogue, scanned.tallies)
        scanned.samples = list(_sample(log, self._catalogue, self._sampler))
        return scanned


Hits = list[tuple[int, int]]


def _searched(blocks: Iterable[Block], engine: Engine) -> Iterator[tuple[Block, Callable[[], Hits]]]:
    """Each block with a promise of its hits: Hyperscan lets other threads run, so lines are counted meanwhile."""
    if engine.name != "hyperscan":
        for block in blocks:
            yield block, partial(engine.scan, block.data)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, "scan") as thread:
        for block in blocks:
            yield block, thread.submit(engine.scan, block.data).result


class _Kind:
    """Lines of one label in which the same literals stand: what was found out about them.

    ``open`` are the patterns still to be asked, with how often each was asked in vain; ``full`` the tallies that have all the
    first lines they keep, so that a further line is only noted.
    """

    __slots__ = ("full", "open")

    def __init__(self, owners: Iterable[tuple[str, int]]) -> None:
        self.open = dict.fromkeys(owners, 0)
        self.full: list[Tally] = []


class _Confirming:
    """Asks patterns about the lines that hold their literals, and keeps what they say."""

    def __init__(self, literals: list[Literal], catalogue: Catalogue, tallies: dict[tuple[str, bytes], Tally]) -> None:
        self._literals = literals
        self._catalogue = catalogue
        self._tallies = tallies
        self._kinds: dict[tuple[bytes, tuple[int, ...]], _Kind] = {}

    def look(self, block: Block, hits: Hits) -> None:
        """Go through the hits of one block, line by line."""
        data = block.data
        for start, stop, ids in _lines_with_hits(block, hits):
            found = _LABEL.match(data, start, stop)
            label = found.group().strip() if found else b""
            kind = self._kinds.get((label, ids))
            if kind is None:
                kind = _Kind(owner for literal in ids for owner in self._literals[literal].owners)
                if len(self._kinds) < MOST_TALLIES:
                    self._kinds[label, ids] = kind
            span = block.offset + start, block.offset + stop
            for tally in kind.full:
                tally.noted.append(span)
            if kind.open:
                self._ask(kind, label, span, data[start:stop])

    def _ask(self, kind: _Kind, label: bytes, span: Span, raw: bytes) -> None:
        texts: list[bytes] = []
        held: set[str] = set()
        for owner in list(kind.open):
            if owner[0] in held:
                continue
            if owner[0] != TRACEBACK and b"\x1b" not in raw and not self._catalogue.may_match(owner, raw):
                continue
            texts = texts or _readings(raw)
            if not _holds(owner, texts, self._catalogue):
                kind.open[owner] += 1
                if kind.open[owner] >= MOST_IN_VAIN:
                    del kind.open[owner]
                continue
            held.add(owner[0])
            key = (owner[0], label) if len(self._tallies) < MOST_TALLIES else (owner[0], b"")
            tally = self._tallies.setdefault(key, Tally())
            if len(tally.first) < KEPT_FIRST:
                tally.first.append(span)
            else:
                tally.noted.append(span)
                kind.full.append(tally)
                for other in [other for other in kind.open if other[0] == owner[0]]:
                    del kind.open[other]


def _lines_with_hits(block: Block, hits: Hits) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield (start, stop, literals) of each line that holds some; a piece of an endless line for each of its hits."""
    start = stop = -1
    whole = True
    ids: list[int] = []
    for end, literal in hits:
        if not block.first < end <= block.last:
            continue
        if end > stop or not whole:
            if ids:
                yield start, stop, tuple(sorted(set(ids)))
            start, stop, whole = _bounds(block.data, end - 1)
            ids = []
        ids.append(literal)
    if ids:
        yield start, stop, tuple(sorted(set(ids)))


def _bounds(data: bytes, at: int) -> tuple[int, int, bool]:
    """The line around an offset, at most ``REACH`` bytes to each side, and whether that is the whole line."""
    start = data.rfind(b"\n", max(0, at - REACH), at) + 1
    stop = data.find(b"\n", at, at + REACH)
    if start and stop >= 0:
        return start, stop, True
    low = max(0, at - REACH)
    return start or low, stop if stop >= 0 else min(len(data), at + REACH), bool(start or low == 0) and stop >= 0


def _readings(raw: bytes) -> list[bytes]:
    """The segments of a line, each with and without its labels."""
    texts = segments(raw)
    return texts + [text[label.end() :] for text in texts if (label := _LABEL.match(text)) and label.end()]


def _holds(owner: tuple[str, int], texts: list[bytes], catalogue: Catalogue) -> bool:
    if owner[0] == TRACEBACK:
        return True
    if owner[0] in catalogue.markers:
        return any(catalogue.markers[owner[0]].found_in(text) is not None for text in texts)
    pattern = catalogue.pattern_of(owner)
    return any(search(pattern, text) is not None for text in texts)


def _confirm_last(log: Log, catalogue: Catalogue, tallies: dict[tuple[str, bytes], Tally]) -> None:
    """Of the lines that were only noted, keep the last ones that hold."""
    for (owner, _), tally in tallies.items():
        while tally.noted and len(tally.last) < KEPT_LAST:
            span = tally.noted.pop()
            texts = _readings(log.read(*span))
            numbers = range(1 if owner == TRACEBACK else len(catalogue.patterns_of(owner)))
            if any(_holds((owner, number), texts, catalogue) for number in numbers):
                tally.last.insert(0, span)
        tally.noted.clear()


def _sample(log: Log, catalogue: Catalogue, engine: Engine) -> Iterator[Span]:
    """In each of many pieces all over the log, the first line that a marker of progress knows."""
    step = max(SAMPLE_EVERY, log.size // MOST_SAMPLES)
    for offset in range(0, log.size, step):
        piece = log.read(offset, offset + SAMPLE_BYTES)
        asked: set[tuple[int, tuple[str, int]]] = set()
        for end, literal in engine.scan(piece):
            start, stop, _ = _bounds(piece, end - 1)
            if (start == 0 and offset > 0) or stop == len(piece):
                continue
            owners = [owner for owner in catalogue.sampled[literal].owners if (start, owner) not in asked]
            asked.update((start, owner) for owner in owners)
            texts = _readings(piece[start:stop]) if owners else []
            if any(_holds(owner, texts, catalogue) for owner in owners):
                yield offset + start, offset + stop
                break
