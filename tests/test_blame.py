"""Whose failure it was: what exit reports, other ranks' words and the names of hosts prove, and what they do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose import Diagnosis

Diagnose = Callable[[str], Diagnosis]

ASSERTION = '[rank0]: Traceback (most recent call last):\n[rank0]:   File "/x/train.py", line 3, in load\n[rank0]:     assert a\n[rank0]: AssertionError: sizes differ\n'


def elastic(code: int, local_rank: int) -> str:
    return f"E0203 13:39:35.112000 1411 torch/distributed/elastic/multiprocessing/api.py:870] failed (exitcode: {code}) local_rank: {local_rank} (pid: 1506) of binary: /opt/bin/python\n"


@pytest.mark.parametrize(
    ("log", "rank", "node", "code"),
    [
        # rank 0 alone prints, another one failed first: what it says may be what all met
        (ASSERTION + elastic(1, 5), None, None, 1),
        (ASSERTION + "node-01: rank 6 exited with code 1\nnode-01: rank 11 died from signal 15\n", None, "node-01", 1),
        (ASSERTION + elastic(1, 0), 0, None, 1),
        # the abort of another rank is its own
        ("[rank7]: ValueError: no such split\n[rank0]: waiting\n" + elastic(-6, 0), 7, None, None),
        # a wrapper script and the launcher report the same death
        ("step 10 loss 0.3\n./run.sh: line 14: 191644 Segmentation fault      (core dumped) $@\n"
         "srun: error: t006-002: task 2: Exited with exit code 139\n", 2, "t006-002", 139),
        # the launcher that failed alone names the node, whoever was torn down elsewhere
        ("RuntimeError: x\na1: rank 7 exited with code 1\na2: rank 19 died from signal 15\n", 7, "a1", 1),
        # torch.distributed.launch starts one launcher per node: srun's task is no rank
        ("RuntimeError: CUDA error: uncorrectable ECC error encountered\nKilling subprocess 611201\n"
         "subprocess.CalledProcessError: Command '['/env/bin/python', '-u', 'train.py', '--local_rank=3']' died with <Signals.SIGABRT: 6>.\n"
         "srun: error: gpu-12: task 17: Exited with exit code 1\n", None, "gpu-12", 134),
        # two ranks of six are not all
        ("[rank4]: ValueError: bad\n[rank5]: ValueError: bad\n", None, None, None),
        ("[rank0]: ValueError: bad\n[rank1]: ValueError: bad\n", "all", None, None),
    ],
)  # fmt: skip
def test_rank_node_and_exit(
    log: str, rank: int | str | None, node: str | None, code: int | None, diagnose_text: Diagnose
) -> None:
    found = diagnose_text(log)
    assert (found.first_failure.rank, found.first_failure.node, found.exit.code) == (rank, node, code)


def test_the_title_names_no_rank_that_the_answer_does_not(diagnose_text: Diagnose) -> None:
    found = diagnose_text(
        "[ray40:mpi_rank_7][error_sighandler] Caught error: Segmentation fault (signal 11)\n"
        "[ray40:mpi_rank_4][error_sighandler] Caught error: Segmentation fault (signal 11)\n"
    )
    assert found.first_failure.rank is None
    assert "ank 7" not in found.title


def test_a_host_has_one_name(diagnose_text: Diagnose) -> None:
    found = diagnose_text(
        "Failures:\n  <NO_OTHER_FAILURES>\nRoot Cause (first observed failure):\n[0]:\n  time      : 2026-04-27_10:31:10\n"
        "  host      : gpu8.cluster.example\n  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 40170)\n"
        "  error_file: <N/A>\n  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
        "srun: error: gpu8: task 0: Exited with exit code 1\n"
    )
    assert (found.first_failure.node, found.job.nodes) == ("gpu8", ["gpu8"])


def test_a_worker_that_died_before_a_restart_that_ended_well(diagnose_text: Diagnose) -> None:
    found = diagnose_text(
        "[default3]:Fatal Python error: Segmentation fault\n"
        + elastic(-11, 3)
        + "[default] Worker group FAILED. 3/3 attempts left; will restart worker group\n"
        + "[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.\n"
    )
    assert found.verdict == "ok"


def test_the_next_command_of_the_script_is_not_what_ended_the_training(diagnose_text: Diagnose) -> None:
    found = diagnose_text(
        "[rank0]:[E1218 20:27:21.4 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=1, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600020 milliseconds before timing out.\n"
        "[2025-12-18 20:27:23,533] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3.9', '-u', 'train.py', '--local_rank=1'] exits with return code = -6\n"
        "order_1.sh: line 45: plot_curves: command not found\n"
    )
    assert (found.category, found.cause.line) == ("collective-timeout", 1)


def test_an_unknown_error_of_slurm_is_no_success(diagnose_text: Diagnose) -> None:
    found = diagnose_text("srun: error: frobnicate: could not set up the widget of node n17\n")
    assert found.verdict == "unknown"
