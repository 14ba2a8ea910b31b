"""Digits of any length, wherever a log may have them, are a number or none, and never the end of a diagnosis."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose import Diagnosis
from diagnose.events import COUNT_DIGITS, whole_number

LONG = "9" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), (b"7", 7), ("9" * 9, 999999999), ("9" * 10, None), (LONG, None), ("-1", None), ("²", None), ("", None)],
)
def test_what_is_a_number(text: str | bytes, number: int | None) -> None:
    assert whole_number(text) == number


def test_counts_are_longer_and_may_be_negative() -> None:
    assert whole_number("9" * 18, COUNT_DIGITS) == 10**18 - 1
    assert whole_number("9" * 19, COUNT_DIGITS) is None
    assert whole_number("-1", COUNT_DIGITS, signed=True) == -1


@pytest.mark.parametrize(
    "log",
    [
        f"[rank{LONG}]: ValueError: x\n",
        f"[default{LONG}]: ValueError: x\n",
        f"[1,{LONG}]<stderr>: ValueError: x\n",
        f"(Worker rank={LONG} pid={LONG}) ValueError: x\n",
        f"n1:{LONG}:3 [0] NCCL WARN Call to ibv_modify_qp failed\n",
        f"[node1:{LONG}] *** Process received signal ***\n",
        f"log_dist] [Rank {LONG}] hi\nglobal_rank={LONG} ok\n",
        f"[0]:\n  time      : 2024-01-01_00:00:00\n  host      : n1\n  rank      : {LONG} (local_rank: {LONG})\n"
        f"  exitcode  : {LONG} (pid: {LONG})\n  error_file: <N/A>\n  traceback : x\n",
        2 * f"Detected mismatch between collectives on ranks. Rank {LONG} is running collective: "
        f"CollectiveFingerPrint(SequenceNumber={LONG}, OpType=ALLREDUCE), but Rank 1{LONG} is running collective: "
        "CollectiveFingerPrint(SequenceNumber=5).\n",
        f"[Rank {LONG}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={LONG}, OpType=ALLREDUCE, "
        f"NumelIn={LONG}, NumelOut=1, Timeout(ms)={LONG}) ran for {LONG} milliseconds before timing out.\n",
        f"srun: error: n1: task {LONG}: Exited with exit code {LONG}\nsrun: error: n1: tasks 0-{LONG}: Killed\n",
        f"srun: error: n[1-{LONG}]: task 3: Killed\n",
        f" iteration {LONG}/ {LONG} | consumed samples: {LONG} | elapsed time per iteration (ms): 3.2 | lm loss: 2\n",
        f"[{LONG}.123456] NVRM: Xid (PCI:0000:3b:00): {LONG}, pid={LONG}, name=python\n",
    ],
    ids=lambda log: log[:16].strip(),
)
def test_long_digits_do_not_end_a_diagnosis(diagnose_text: Callable[[str], Diagnosis], log: str) -> None:
    found = diagnose_text(log)
    assert found.stats.lines == log.count("\n")
    assert found.first_failure.rank is None or found.first_failure.rank < 10**9
