"""A folder with the files of one job -> its logs, each with what its path says of who wrote it.

torchrun --log-dir writes ``<run>/attempt_N/<local rank>/stderr.log``; srun ``--output=log-%t.out`` a file for each task;
others ``rank_3.log``, ``workerlog.3``, ``job-node-01.err``; Slurm pairs of ``slurm-4242.out`` and ``.err``. A compressed
file is what its name says without ``.gz``, ``.xz``, ``.bz2`` or ``.zst``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from diagnose.logs.compression import SUFFIXES
from diagnose.logs.meter import Meter
from diagnose.logs.source import Log, Unreadable, Writer, open_log

MOST_FILES = 20_000

LARGEST_DUMP_BYTES = 256 * 1024 * 1024

_DUMP = re.compile(r"(?:trace|dump)\w*rank_(?P<rank>\d+)(?:\.json|\.pickle|\.pkl)?$")
_SUFFIXES = {".log", ".out", ".err", ".txt", ".stdout", ".stderr", ".o", ".e", ""}
_NO_LOGS = re.compile(r"(?:events\.out\.tfevents|\.sbatch|\.tar|\.ya?ml|\.json|\.py|\.pt|README)", re.IGNORECASE)
_ELASTIC = re.compile(r"(?:^|/)attempt_(?P<attempt>\d+)/(?P<local>\d+)/std(?:out|err)\.log$")
_RANK = re.compile(r"(?:^|[/_.-])(?:rank|worker(?:log)?|proc(?:ess)?)[_.-]?(?P<rank>\d+)(?=\D|$)", re.IGNORECASE)
_TASK = re.compile(
    r"(?:^|[/_.-])(?:task|t)[_.-]?(?P<task>\d+)(?=[_.-]|$)"
    r"|(?:^|[/_.-])\d{4,}[_.-](?P<behind_job>\d{1,5})\.(?:out|err|log)$|^\D*(?P<alone>\d{1,3})\.(?:out|err|log)$",
    re.IGNORECASE,
)
_NODE = re.compile(
    r"(?:^|[/_.-])(?P<node>(?:node|gpu|cn|nid|host|n)-?[a-z]*\d+[\w-]*?)(?=\.(?:out|err|log|txt|std)|/|$)",
    re.IGNORECASE,
)
_JOB = re.compile(r"(?:^|[/_.-])(?:slurm-|job[_-]?)?(?P<job>\d{4,})(?:_\d+)?\.(?:out|err|log)$", re.IGNORECASE)


@dataclass(frozen=True)
class Folder:
    """What lies below a folder: names of logs and of Flight Recorder dumps (with their rank), in order."""

    path: str
    logs: list[str]
    dumps: list[tuple[str, int]]
    notes: list[str]

    def where(self, name: str) -> str:
        """The path of a member."""
        return os.path.join(self.path, name)


def list_folder(path: str) -> Folder:
    """Walk through a folder once. What cannot be entered, and logs beyond ``MOST_FILES``, stand in the notes."""
    notes: list[str] = []

    def note(error: OSError) -> None:
        notes.append(f"{error.filename}: {error.strerror or error}; left out")

    logs: list[str] = []
    dumps: list[tuple[str, int]] = []
    for folder, _, files in os.walk(path, onerror=note):
        for file in files:
            dump = _DUMP.search(file)
            if (dump or _is_log(file)) and os.path.isfile(os.path.join(folder, file)):
                name = os.path.relpath(os.path.join(folder, file), path)
                if dump:
                    dumps.append((name, int(dump["rank"])))
                else:
                    logs.append(name)
    logs.sort(key=_in_order)
    dumps.sort(key=lambda dump: _in_order(dump[0]))
    if len(logs) > MOST_FILES:
        notes.append(
            f"{path}: holds {len(logs)} logs; only the first {MOST_FILES} in the order of their names were read"
        )
    return Folder(path, logs[:MOST_FILES], dumps, notes)


def _in_order(name: str) -> list[str]:
    return name.split(os.sep)


def open_folder(folder: Folder, meter: Meter | None = None) -> Iterator[Log]:
    """Open the logs of a folder one after the other, in the order of their names.

    Close each before the next is asked for: a job may have more files than a process may open. Raises ``Unreadable``
    where the folder holds no readable log, or those of several jobs.
    """
    jobs = [found["job"] if (found := _JOB.search(_unpacked(name))) else None for name in folder.logs]
    if None not in jobs and len(set(jobs)) > 1:
        listed = ", ".join(sorted({job for job in jobs if job})[:4])
        raise Unreadable(f"{folder.path}: holds the logs of several jobs ({listed} ...); name the files of one of them")
    last: Log | None = None
    problems: list[str] = []
    for name in folder.logs:
        try:
            log = open_log(folder.where(name), meter)
        except Unreadable as problem:
            problems.append(str(problem))
            continue
        last = log
        log.name = name
        log.writer = read_writer(name)
        log.share = 1 / len(folder.logs)
        log.notes += _worth_telling(problems)
        problems = []
        yield log
    if last is not None:
        last.notes += _worth_telling(problems)
    else:
        reason = problems[0] if problems else folder.notes[0] if folder.notes else ""
        raise Unreadable(f"{folder.path}: a folder without a readable log" + (f" ({reason})" if reason else ""))


def _worth_telling(problems: list[str]) -> list[str]:
    """Notes on the files that were left out; that a file is empty says nothing."""
    return [f"{problem}; left out" for problem in problems if not problem.endswith((": is empty", "but white space"))]


def read_dumps(folder: Folder) -> Iterator[tuple[str, int, bytes]]:
    """Yield (name, rank, content) of each Flight Recorder dump of a folder."""
    for name, rank in folder.dumps:
        file = Path(folder.where(name))
        if file.stat().st_size <= LARGEST_DUMP_BYTES:
            yield name, rank, file.read_bytes()


def read_writer(name: str) -> Writer:
    """``run/attempt_0/3/stderr.log`` -> local rank 3; ``log-node-003.out`` -> node-003; ``rank_7.log`` -> rank 7."""
    name = _unpacked(name)
    if found := _ELASTIC.search(name):
        node = _NODE.search(name[: found.start()])
        return Writer(
            local_rank=int(found["local"]), node=node["node"] if node else None, attempt=int(found["attempt"])
        )
    node = _NODE.search(name)
    if found := _RANK.search(name):
        return Writer(rank=int(found["rank"]), node=node["node"] if node else None)
    if node:
        return Writer(node=node["node"])
    if found := _TASK.search(name):
        return Writer(task=int(next(group for group in found.groups() if group)))
    return Writer()


def _unpacked(name: str) -> str:
    """The name without the suffix of a compressed file."""
    stem, suffix = os.path.splitext(name)
    return stem if suffix.lower() in SUFFIXES else name


def _is_log(name: str) -> bool:
    if _NO_LOGS.search(name):
        return False
    suffix = os.path.splitext(_unpacked(name))[1].lower()
    return suffix in _SUFFIXES or suffix[1:].isdigit()
