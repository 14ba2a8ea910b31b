"""Exit reports: codes, signals, task lists, torchelastic's report, merging."""

from __future__ import annotations

import pytest

from diagnose.events.elastic import read_reports
from diagnose.events.exits import node_list, normal_code, number_list
from diagnose.events.lines import read_lines
from diagnose.events.streams import split_streams


@pytest.mark.parametrize(
    ("code", "signal", "expected"),
    [
        ("1", None, (1, None)),
        ("-9", None, (137, "SIGKILL")),
        ("137", None, (137, "SIGKILL")),
        ("-15", None, (143, "SIGTERM")),
        ("255", None, (255, None)),
        (None, "Killed", (137, "SIGKILL")),
        (None, "Segmentation fault (core dumped)", (139, "SIGSEGV")),
        (None, "11", (139, "SIGSEGV")),
        (None, "SIGABRT", (134, "SIGABRT")),
        (None, "nonsense", (None, None)),
        (None, None, (None, None)),
    ],
)
def test_codes_and_signals_take_one_form(code: str | None, signal: str | None, expected: tuple[int, str]) -> None:
    assert normal_code(code, signal) == expected


def test_task_lists_and_node_sets() -> None:
    assert number_list("0-2,9") == (0, 1, 2, 9)
    assert node_list("n[1-3]") == ("n1", "n2", "n3")
    assert node_list("node-05") == ("node-05",)
    assert node_list("") == ()


REPORT = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-12-01_01:47:14
  host      : node1
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 1727)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 1727
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-12-01_01:47:14
  host      : node1
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 1728)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 1728
============================================================
"""


def test_torchelastic_report_gives_each_process() -> None:
    lines = read_lines([(1, REPORT.encode())])
    first, second = read_reports(split_streams(lines))
    assert (first.ranks, first.signal, first.root) == ((0,), "SIGTERM", False)
    assert (second.ranks, second.code, second.node, second.pid, second.root) == ((1,), 137, "node1", 1728, True)
    assert second.line.number == 19


def test_torchelastic_1_9_report_has_no_host() -> None:
    text = REPORT.replace("  host      : node1\n", "").replace("traceback :", "msg       :")
    deaths = read_reports(split_streams(read_lines([(1, text.encode())])))
    assert [(death.ranks, death.node) for death in deaths] == [((0,), None), ((1,), None)]
