"""The progress bar: fed block by block, shown only to a person who waits, gone before the report."""

from __future__ import annotations

import gzip
import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from diagnose import Options, diagnose, diagnose_together
from diagnose.logs import Meter
from diagnose.report import ProgressBar, can_show_progress
from diagnose.scan import WHOLE_BYTES
from diagnose.signatures import Catalogue

LONG = b"epoch 1: all is well with this run of many lines\n" * (3 * WHOLE_BYTES // 50)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def seen(argument: str, catalogue: Catalogue) -> list[tuple[int, int]]:
    calls: list[tuple[int, int]] = []
    diagnose(argument, Options(progress=lambda done, total: calls.append((done, total))), catalogue)
    return calls


def test_a_long_log_is_measured_in_bytes_on_disk(tmp_path: Path, catalogue: Catalogue) -> None:
    log = tmp_path / "long.log"
    log.write_bytes(LONG)
    calls = seen(str(log), catalogue)
    assert len(calls) > 10
    assert {total for _, total in calls} == {len(LONG)}
    assert calls == sorted(calls)
    assert 0.9 * len(LONG) < calls[-1][0] <= len(LONG)


def test_a_packed_log_counts_half_for_unpacking_and_half_for_the_first_pass(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    log = tmp_path / "long.log.gz"
    log.write_bytes(gzip.compress(os.urandom(200_000).hex().encode() + LONG))
    size = log.stat().st_size
    calls = seen(str(log), catalogue)
    assert {total for _, total in calls} == {size}
    assert calls == sorted(calls)
    assert (size // 2, size) in calls
    assert 0.9 * size < calls[-1][0] <= size


def test_a_pipe_has_no_total_until_it_ends(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LONG)))
    calls = seen("-", catalogue)
    copied = [done for done, total in calls if total == 0]
    assert copied[-1] == len(LONG)
    assert calls[-1][1] == len(LONG)


def test_the_files_of_a_job_are_measured_together(tmp_path: Path, catalogue: Catalogue) -> None:
    for rank in range(2):
        (tmp_path / f"rank_{rank}.log").write_bytes(LONG)
    calls = seen(str(tmp_path), catalogue)
    assert {total for _, total in calls} == {2 * len(LONG)}
    assert calls == sorted(calls)
    assert calls[-1][0] > 1.9 * len(LONG)
    together: list[tuple[int, int]] = []
    paths = [tmp_path / "rank_0.log", tmp_path / "rank_1.log"]
    diagnose_together(paths, Options(progress=lambda *call: together.append(call)), catalogue)
    assert together == calls


def test_the_library_prints_nothing(
    tmp_path: Path, catalogue: Catalogue, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "long.log"
    log.write_bytes(LONG)
    diagnose(log, catalogue=catalogue)
    assert capfd.readouterr() == ("", "")


def test_a_meter_without_a_listener_is_silent() -> None:
    meter = Meter()
    meter.begin(0)
    meter.copied(3)
    meter.scanned(1, 3)


def bar_at(times: list[float], calls: list[tuple[int, int]]) -> tuple[str, ProgressBar]:
    """What the terminal got when a bar was called at these times (the first is when it is made)."""
    terminal = Terminal()
    now = [times[0]]
    bar = ProgressBar(terminal, clock=lambda: now[0])
    with bar:
        for now[0], call in zip(times[1:], calls, strict=True):
            bar(*call)
    return terminal.getvalue(), bar


def test_nothing_is_drawn_within_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert bar_at([5.0, 5.1, 5.5, 5.99], [(1, 10), (2, 10), (3, 10)])[0] == ""


def test_a_bar_shows_bytes_rate_and_remaining_time_and_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    drawn, _ = bar_at(
        [0, 1.5, 2.5, 3.5], [(100_000_000, 900_000_000), (200_000_000, 900_000_000), (300_000_000, 900_000_000)]
    )
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn)
    for part in ("reading", "100.0/900.0 MB", "300.0/900.0 MB", "100.0 MB/s", "0:00:06"):
        assert part in plain
    assert " 0/" not in plain
    assert drawn.endswith("\x1b[2K") or drawn.rindex("\x1b[2K") > drawn.rindex("MB")
    assert "\x1b[?25h" in drawn


def test_a_bar_is_drawn_at_most_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    times = [0.0, *(2 + n / 1000 for n in range(1000))]
    drawn, _ = bar_at(times, [(n * 1_000_000, 10**9) for n in range(1000)])
    assert 5 <= drawn.count("reading") <= 13


@pytest.mark.parametrize(
    ("term", "stream", "shown"), [("xterm", Terminal, True), ("dumb", Terminal, False), ("xterm", io.StringIO, False)]
)
def test_a_bar_needs_a_terminal(
    term: str, stream: Callable[[], io.StringIO], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    assert can_show_progress(stream()) is shown


def on_terminal(*args: str) -> tuple[bytes, bytes]:
    """Standard output of the command, and what its terminal got on standard error. The bar has no patience."""
    code = "import diagnose.report.progress as p; p.PATIENCE_SECONDS = 0.0; p.BETWEEN_SECONDS = 0.0; "
    code += "from diagnose.cli.main import run; run()"
    ours, its = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, *args], stdout=subprocess.PIPE, stderr=its, env={**os.environ, "TERM": "xterm"}
    ) as running:
        os.close(its)
        got = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            got += piece
        assert running.stdout is not None
        out = running.stdout.read()
    os.close(ours)
    return out, got


def test_in_a_real_terminal_the_bar_comes_goes_and_never_meets_the_report(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    log.write_bytes(LONG + b"srun: error: node2: task 3: Out Of Memory\n")
    out, err = on_terminal(str(log))
    assert b"reading" in err
    assert b"MB" in err
    assert b"\x1b" not in out
    assert b"Memory" in out
    assert b"Out Of Memory" not in err
    assert err.rindex(b"\x1b[2K") > err.rindex(b"reading")
    assert err.rindex(b"\x1b[?25h") > err.rindex(b"\x1b[?25l")


@pytest.mark.parametrize("options", [["-q"], ["--format", "json"]])
def test_no_bar_for_programs(tmp_path: Path, options: list[str]) -> None:
    log = tmp_path / "long.log"
    log.write_bytes(LONG)
    assert on_terminal(*options, str(log))[1] == b""


def test_no_bar_without_a_terminal(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    log.write_bytes(LONG)
    code = "import diagnose.report.progress as p; p.PATIENCE_SECONDS = 0.0; from diagnose.cli.main import run; run()"
    done = subprocess.run([sys.executable, "-c", code, log], capture_output=True, check=False)
    assert done.stderr == b""
