"""One log in, one answer out: the whole way of a byte, from the file to the diagnosis."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from diagnose.events import read_facts
from diagnose.logs import Log, open_log
from diagnose.model import Diagnosis, Stats, Tool
from diagnose.scan import TAIL_BYTES, Engine, StandardEngine, Window, cut_windows, scan_log
from diagnose.signatures import Catalogue, load_catalogue
from diagnose.verdict import answer, with_exit_code


@dataclass(frozen=True)
class Options:
    """How to diagnose.

    ``rules`` are folders laid over the shipped rules; ``exit_code`` is the job's exit code where the caller knows it
    (0 proves nothing: it is also what a trap sees when Slurm ends the script).
    """

    rules: Sequence[Path] = ()
    exit_code: int | None = None


def diagnose(
    path: str | os.PathLike[str], options: Options = Options(), catalogue: Catalogue | None = None
) -> Diagnosis:
    """Diagnose one log: a file, a ``.gz`` file, or ``-`` for standard input.

    Pass a ``catalogue`` (``load_catalogue``) to load the rules once for many logs. Raises ``Unreadable`` where the
    input cannot be read at all; what is wrong with a part of it stands in ``Diagnosis.notes``.
    """
    started = time.perf_counter()
    if catalogue is None:
        catalogue = load_catalogue(options.rules)
    engine = StandardEngine(catalogue.literals)
    log = open_log(os.fspath(path))
    try:
        windows, lines = _windows(log, catalogue, engine)
        facts = read_facts([windows], catalogue, engine)
    finally:
        log.close()
    notes = [*log.notes, *(f"rule skipped: {fault}" for fault in catalogue.faults)]
    stats = Stats(log.size, lines, round(time.perf_counter() - started, 3), len(catalogue), engine.name)
    found = answer(facts, [log.name], catalogue, Tool(tool_version(), len(catalogue)), stats, notes)
    return with_exit_code(found, options.exit_code, catalogue) if options.exit_code else found


def _windows(log: Log, catalogue: Catalogue, engine: Engine) -> tuple[list[Window], int]:
    """The parts of the log to read line by line, and its number of lines; a short log is read whole."""
    if log.size <= TAIL_BYTES:
        data = log.read(0, log.size)
        return [(1, data)], data.count(b"\n") + (not data.endswith(b"\n"))
    scanned = scan_log(log, catalogue, engine)
    return cut_windows(log, scanned, catalogue), scanned.lines


def tool_version() -> str:
    """The version of the installed distribution."""
    try:
        return version("slurm-doctor")
    except PackageNotFoundError:
        return "0+unknown"
