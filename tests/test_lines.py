"""From raw bytes to lines: colours, progress bars, labels, clocks."""

from __future__ import annotations

import pytest

from diagnose.events.clock import read_clock
from diagnose.events.labels import Label, Labeller
from diagnose.events.lines import read_lines
from diagnose.logs import BEGIN, END, segments


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"plain", [b"plain"]),
        (b"windows\r", [b"windows"]),
        (b"\x1b[31mRuntimeError\x1b[0m: x", [b"RuntimeError: x"]),
        (b"\x1b]8;;http://x\x07link\x1b]8;;\x07", [b"link"]),
        (b"bad interpreter(/bin/bash\r): No such file", [b"bad interpreter(/bin/bash): No such file"]),
        (b" 10%|#  | 1/10 [00:01<00:09, 1.00it/s]\r 20%|## | 2/10 [00:02<00:08, 1.00it/s]\rslurmstepd: error: x",
         [b" 10%|#  | 1/10 [00:01<00:09, 1.00it/s]", b" 20%|## | 2/10 [00:02<00:08, 1.00it/s]", b"slurmstepd: error: x"]),
        (b"  6%|#   | 89/1398 [1:32:11<25:28:13, 70.05s/it]../aten/src/x.cu:1284: Assertion failed",
         [b"  6%|#   | 89/1398 [1:32:11<25:28:13, 70.05s/it]", b"../aten/src/x.cu:1284: Assertion failed"]),
    ],
)  # fmt: skip
def test_a_line_is_cut_into_visible_segments(raw: bytes, expected: list[bytes]) -> None:
    assert segments(raw) == expected


@pytest.mark.parametrize(
    ("lines", "label", "text"),
    [
        ([b" 3: hello", b"12: x"], Label(task=3), b"hello"),
        ([b"[rank7]: Traceback"], Label(rank=7), b"Traceback"),
        ([b"1: [default1]:[rank3]: KeyError: 1", b"0: x"], Label(task=1, local_rank=1, rank=3), b"KeyError: 1"),
        ([b"[1,3]<stderr>:oops"], Label(rank=3), b"oops"),
        ([b"node-01: RuntimeError: x", b"node-02: y"], Label(host="node-01"), b"RuntimeError: x"),
        ([b"(Worker pid=12, ip=10.0.0.1) hi"], Label(host="10.0.0.1", pid=12, actor="Worker/12"), b"hi"),
        ([b"2027-03-21T17:43:36.67Z stderr F boom"], Label(), b"boom"),
        ([b"RuntimeError: 1", b"RuntimeError: 2"], Label(), b"RuntimeError: 1"),
        ([b"srun: error: node1: task 0: Killed", b"srun: error: x"], Label(), b"srun: error: node1: task 0: Killed"),
        ([b"2026-12-01 01:46:36,181 [rank 2] INFO: x"], Label(rank=2), b"2026-12-01 01:46:36,181 [rank 2] INFO: x"),
    ],
)
def test_launcher_labels(lines: list[bytes], label: Label, text: bytes) -> None:
    assert Labeller(lines).read(lines[0]) == (label, text)


def test_a_number_in_front_of_one_of_many_lines_is_no_label() -> None:
    lines = [b"12: not a label", *[b"some output without a label"] * 20]
    assert Labeller(lines).read(lines[0]) == (Label(), b"12: not a label")


def test_nccl_lines_tell_host_pid_and_device() -> None:
    label, text = Labeller([]).read(b"node-03:3063028:3066152 [3] include/alloc.h:178 NCCL WARN Cuda failure")
    assert (label.host, label.pid, label.local_rank) == ("node-03", 3063028, 3)
    assert text.startswith(b"node-03:")


@pytest.mark.parametrize(
    ("text", "form", "iso"),
    [
        (b"2026-12-01 01:46:36,181 x", "iso", "2026-12-01T01:46:36"),
        (b"*** CANCELLED AT 2026-12-01T02:14:57 ***", "iso", "2026-12-01T02:14:57"),
        (b"2026-12-01T02:14:57+02:00 x", "utc", "2026-12-01T02:14:57+02:00"),
        (b"[E1118 22:26:03.467156 ProcessGroupNCCL.cpp:633]", "glog", None),
        (b"[E808 22:26:03.467156 ProcessGroupNCCL.cpp:633]", "glog", None),
        (b"Jun 10 03:09:55 node-01 kernel: x", "syslog", None),
        (b"[Mon Oct 29 12:07:39 2018] NVRM: x", "ctime", "2018-10-29T12:07:39"),
        (b"[ 1843.308145] NVRM: x", "dmesg", None),
    ],
)
def test_clock_forms(text: bytes, form: str, iso: str | None) -> None:
    clock = read_clock(text)
    assert clock is not None
    assert (clock.form, clock.iso) == (form, iso)


def test_an_impossible_date_is_no_clock() -> None:
    assert read_clock(b"2026-13-45 01:46:36 x") is None


def test_line_numbers_count_newlines_only() -> None:
    lines = read_lines([(1, b"a\rb 50%|# | 1/2 [00:01<00:01, 1it/s]\rc\nd\n")])
    assert [line.number for line in lines if line.text == b"d"] == [2]


def test_an_earlier_report_in_the_log_is_skipped() -> None:
    log = f"before\n{BEGIN}\nKeyError: 'x'\n{END}\nafter\n".encode()
    lines = read_lines([(1, log)])
    assert [(line.number, line.text) for line in lines if line.text] == [
        (1, b"before"),
        (4, END.encode()),
        (5, b"after"),
    ]


def test_parts_copied_from_the_files_of_several_ranks() -> None:
    log = (
        b"before\n==> logs/rank_3.log <==\nKeyError: 1\n\n==> logs/node-07.err <==\noops\n"
        b"----------Begin global rank 2 STDERR----------\nTraceback\n----------End global rank 2 STDERR----------\nafter\n"
    )
    labels = {line.number: line.label for line in read_lines([(1, log)])}
    assert labels[1] == labels[10] == Label()
    assert (labels[3].rank, labels[6].host, labels[8].rank) == (3, "node-07", 2)


@pytest.mark.parametrize(
    ("line", "host", "rank", "text"),
    [
        (b"[1,mpirank:9,algo-2]<stderr>:KeyError", "algo-2", 9, b"KeyError"),
        (b"(worker1, rank=1, pid=2419, ip=172.31.9.41) KeyError", "worker1", None, b"KeyError"),
        (b"i.pretrain/0 [default1]:[rank1]: KeyError", None, 1, b"KeyError"),
        (b"2020-12-05 12:02:26 10.164.15.249 [0] KeyError", "10.164.15.249", None, b"KeyError"),
        (b"[pod/dist-mnist-worker-0/pytorch] KeyError", "dist-mnist-worker-0", None, b"KeyError"),
        (b"2021-02-05 05:32:39 [job-4b91-worker-1, unknown_ip] KeyError", "job-4b91-worker-1", None, b"KeyError"),
    ],
)
def test_labels_of_clusters_in_the_cloud(line: bytes, host: str | None, rank: int | None, text: bytes) -> None:
    label, rest = Labeller([]).read(line)
    assert (label.host, label.rank, rest) == (host, rank, text)
