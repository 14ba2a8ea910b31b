"""One log in, one answer out: the whole way of a byte, from the file to the diagnosis."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from diagnose.events import Dump, read_facts
from diagnose.logs import (
    Folder,
    Log,
    Meter,
    Progress,
    list_folder,
    open_folder,
    open_log,
    read_dumps,
    read_writer,
)
from diagnose.model import Diagnosis, Stats, Tool
from diagnose.scan import WHOLE_BYTES, Engine, Scanner, Window, choose_engine, cut_windows
from diagnose.signatures import Catalogue, load_catalogue
from diagnose.verdict import answer, templates_of, with_exit_code
from diagnose.version import VERSION


@dataclass(frozen=True)
class Options:
    """How to diagnose.

    ``rules`` are folders laid over the shipped rules; ``baseline`` is the log of a good run, whose lines are no evidence
    of an unknown failure; ``exit_code`` is the job's exit code where the caller knows it
    (0 proves nothing: it is also what a trap sees when Slurm ends the script). ``progress`` is called with the bytes that
    are read and the bytes there are (0 while nobody knows) after each block of a log that is too long to be read at once.
    """

    rules: Sequence[Path] = ()
    baseline: str | None = None
    exit_code: int | None = None
    progress: Progress | None = None


def diagnose(
    path: str | os.PathLike[str], options: Options = Options(), catalogue: Catalogue | None = None
) -> Diagnosis:
    """Diagnose one job: a file (also ``.gz .xz .bz2 .zst``), a folder with the files of the job, or ``-`` for standard input.

    Pass a ``catalogue`` (``load_catalogue``) to load the rules once for many logs. Raises ``Unreadable`` where the
    input cannot be read at all; what is wrong with a part of it stands in ``Diagnosis.notes``.
    """
    name = os.fspath(path)
    if not os.path.isdir(name):
        meter = _meter(options, [name])
        return _diagnose([open_log(name, meter)], options, meter, catalogue)
    folder = list_folder(name)
    dumps, notes = _read_dumps(folder)
    meter = _meter(options, [folder.where(log) for log in folder.logs])
    return _diagnose(open_folder(folder, meter), options, meter, catalogue, dumps, [*folder.notes, *notes])


def _meter(options: Options, paths: Sequence[str]) -> Meter:
    return Meter(options.progress, [*paths, *([options.baseline] if options.baseline else [])])


def _read_dumps(folder: Folder) -> tuple[list[Dump], list[str]]:
    """The Flight Recorder dumps in a folder, and what could not be read of them."""
    from diagnose.events.flight_recorder import UnreadableDump, read_dump

    dumps, notes = [], []
    for name, rank, data in read_dumps(folder):
        try:
            dumps.append(read_dump(data, rank))
        except UnreadableDump as problem:
            notes.append(f"{name}: {problem}; left out")
    return dumps, notes


def diagnose_together(
    paths: Sequence[str | os.PathLike[str]], options: Options = Options(), catalogue: Catalogue | None = None
) -> Diagnosis:
    """Diagnose several files as the logs of one job. Raises ``Unreadable`` where one of them cannot be read."""
    names = [os.fspath(path) for path in paths]
    meter = _meter(options, names)
    return _diagnose((_open_member(name, meter, 1 / len(names)) for name in names), options, meter, catalogue)


def _open_member(path: str, meter: Meter, share: float) -> Log:
    log = open_log(path, meter)
    log.writer = read_writer(os.path.basename(path))
    log.share = share
    return log


def _diagnose(
    logs: Iterable[Log],
    options: Options,
    meter: Meter,
    catalogue: Catalogue | None,
    dumps: Sequence[Dump] = (),
    notes: Sequence[str] = (),
) -> Diagnosis:
    started = time.perf_counter()
    if catalogue is None:
        catalogue = load_catalogue(options.rules)
    read: list[Log] = []
    windows: list[list[Window]] = []
    lines = 0
    passes = _Passes(catalogue)
    for log in logs:
        cut, count = passes.first(log)
        log.close()
        read.append(log)
        windows.append(cut)
        lines += count
    reader = choose_engine(catalogue.literals, sum(len(data) for cut in windows for _, data in cut))
    facts = read_facts(windows, catalogue, reader, [log.writer for log in read])
    facts.dumps = list(dumps)
    good, good_notes = _good_templates(options.baseline, catalogue, reader, meter) if options.baseline else (set(), [])
    notes = [*notes, *(note for log in read for note in log.notes), *good_notes]
    notes += [f"rule skipped: {fault}" for fault in catalogue.faults]
    seconds = round(time.perf_counter() - started, 3)
    stats = Stats(sum(log.size for log in read), lines, seconds, len(catalogue), passes.engine or reader.name)
    names = [os.fsencode(log.name).decode("utf-8", "replace") for log in read]
    found = answer(facts, names, catalogue, Tool(VERSION, len(catalogue)), stats, notes, good)
    return with_exit_code(found, options.exit_code, catalogue) if options.exit_code else found


def _good_templates(path: str, catalogue: Catalogue, engine: Engine, meter: Meter) -> tuple[Set[str], list[str]]:
    """What a good run says, and what could not be read of it."""
    log = open_log(path, meter)
    windows, _ = _Passes(catalogue).first(log)
    log.close()
    return templates_of(read_facts([windows], catalogue, engine).text.lines), log.notes


class _Passes:
    """The first pass over each log of a job, where it needs one. ``engine`` names what scanned; empty where nothing did."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._scanner: Scanner | None = None
        self.engine = ""

    def first(self, log: Log) -> tuple[list[Window], int]:
        """The parts of a log to read line by line, and its number of lines. A short log is read whole, not scanned."""
        if log.size <= WHOLE_BYTES * log.share:
            data = log.read(0, log.size)
            return [(1, data)], data.count(b"\n") + (not data.endswith(b"\n"))
        if self._scanner is None:
            self._scanner = Scanner(self._catalogue, int(log.size / log.share))
            self.engine = self._scanner.engine.name
        scanned = self._scanner.scan(log)
        return cut_windows(log, scanned, self._catalogue), scanned.lines
