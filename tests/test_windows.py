"""A log larger than what is read line by line gives the same answer as its small form, with the right line numbers."""

from __future__ import annotations

from pathlib import Path

from conftest import ROOT

from diagnose import diagnose
from diagnose.logs import open_log
from diagnose.scan import Scanner, cut_windows
from diagnose.signatures import Catalogue

SMALL = ROOT / "fixtures/slurm/018-rank7-thread-oom-then-nccl-timeouts-134.log"
FILLER = b"3: nothing of interest happens in this line, and it goes on like that for quite some time\n"


def make_large(path: Path, before: int, between: int) -> int:
    """Write the small log with filler before it and between its two halves; return the offset of its line numbers."""
    lines = SMALL.read_bytes().splitlines(keepends=True)
    with path.open("wb") as out:
        out.write(FILLER * before)
        out.writelines(lines[:40])
        out.write(FILLER * between)
        out.writelines(lines[40:])
    return before


def test_a_cause_far_from_the_end_is_found(catalogue: Catalogue, tmp_path: Path) -> None:
    large = tmp_path / "large.log"
    offset = make_large(large, before=20_000, between=80_000)
    assert large.stat().st_size > 8 * 1024 * 1024
    found = diagnose(large, catalogue=catalogue)
    small = diagnose(SMALL, catalogue=catalogue)
    assert small.cause.line is not None
    assert found.cause.line == small.cause.line + offset
    assert (found.category, found.first_failure.rank, found.exit.code) == ("gpu-memory", 7, 1)
    assert found.stats.lines == 20_000 + 80_000 + small.stats.lines


def test_windows_begin_at_lines_and_know_their_numbers(catalogue: Catalogue, tmp_path: Path) -> None:
    large = tmp_path / "large.log"
    make_large(large, before=20_000, between=80_000)
    log = open_log(str(large))
    all_lines = large.read_bytes().split(b"\n")
    for block_bytes in (16 * 1024, 512 * 1024):
        scanned = Scanner(catalogue, log.size).scan(log, block_bytes)
        for first, window in cut_windows(log, scanned, catalogue):
            lines = window.rstrip(b"\n").split(b"\n")
            assert all_lines[first - 1 : first - 1 + len(lines)] == lines


def test_a_log_of_one_endless_line_is_read(catalogue: Catalogue, tmp_path: Path) -> None:
    endless = tmp_path / "endless.log"
    endless.write_bytes(b"x" * 9_000_000 + b" torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. ")
    assert diagnose(endless, catalogue=catalogue).category == "gpu-memory"
