"""A folder with the files of one job -> its logs, each with what its path says of who wrote it.

torchrun --log-dir writes ``<run>/attempt_N/<local rank>/stderr.log``; srun ``--output=log-%t.out`` a file for each task;
others ``rank_3.log``, ``workerlog.3``, ``job-node-01.err``; Slurm pairs of ``slurm-4242.out`` and ``.err``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from diagnose.logs.source import Log, Unreadable, Writer, open_log

MOST_FILES = 20_000

LARGEST_DUMP_BYTES = 256 * 1024 * 1024

_DUMP = re.compile(r"(?:trace|dump)\w*rank_(?P<rank>\d+)(?:\.json|\.pickle|\.pkl)?$")
_SUFFIXES = {".log", ".out", ".err", ".txt", ".stdout", ".stderr", ".o", ".e", ".gz", ""}
_NO_LOGS = re.compile(r"(?:events\.out\.tfevents|\.sbatch|\.ya?ml|\.json|\.py|\.pt|README)", re.IGNORECASE)
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


def open_folder(path: str) -> Iterator[Log]:
    """Open the logs below a folder one after the other, in the order of their names.

    Close each before the next is asked for: a job may have more files than a process may open. Raises ``Unreadable``
    where the folder holds no readable log, or those of several jobs.
    """
    root = Path(path)
    try:
        files = sorted(file for file in root.rglob("*") if file.is_file() and _is_log(file))[:MOST_FILES]
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    names = [str(file.relative_to(root)) for file in files]
    jobs = {found["job"] for name in names if (found := _JOB.search(name))}
    if len(jobs) > 1 and all(_JOB.search(name) for name in names):
        listed = ", ".join(sorted(jobs)[:4])
        raise Unreadable(f"{path}: holds the logs of several jobs ({listed} ...); name the files of one of them")
    opened = 0
    problems: list[str] = []
    for file, name in zip(files, names, strict=True):
        try:
            log = open_log(str(file))
        except Unreadable as problem:
            problems.append(str(problem))
            continue
        opened += 1
        log.name = name
        log.writer = read_writer(name)
        log.share = 1 / len(files)
        log.notes += [f"{problem}; left out" for problem in problems if "is a binary" in problem or "denied" in problem]
        problems = []
        yield log
    if not opened:
        raise Unreadable(f"{path}: a folder without a readable log" + (f" ({problems[0]})" if problems else ""))


def find_dumps(path: str) -> Iterator[tuple[str, int, bytes]]:
    """Yield (name, rank, content) of each Flight Recorder dump below a folder."""
    root = Path(path)
    for file in sorted(root.rglob("*")):
        found = _DUMP.search(file.name)
        if found and file.is_file() and file.stat().st_size <= LARGEST_DUMP_BYTES:
            yield str(file.relative_to(root)), int(found["rank"]), file.read_bytes()


def read_writer(name: str) -> Writer:
    """``run/attempt_0/3/stderr.log`` -> local rank 3; ``log-node-003.out`` -> node-003; ``rank_7.log`` -> rank 7."""
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


def _is_log(file: Path) -> bool:
    if _NO_LOGS.search(file.name) or _DUMP.search(file.name):
        return False
    return file.suffix.lower() in _SUFFIXES or file.suffix[1:].isdigit()
