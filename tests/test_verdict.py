"""The reasoning, step by step, on small logs whose lines have the form that the programs print."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnose import Diagnosis, Options, diagnose
from diagnose.signatures import Catalogue

Diagnose = Callable[[str], Diagnosis]


def traceback(label: str, last: str) -> str:
    return f'{label}Traceback (most recent call last):\n{label}  File "train.py", line 9, in main\n{label}{last}\n'


GLOO = "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.77.0.11]:6057."
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. GPU 3 has a total capacity of 79.10 GiB"


def watchdog(
    rank: int, time: str = "22:26:03", seq: int = 92, op: str = "ALLREDUCE", enqueued: int | None = None
) -> str:
    head = f"[rank{rank}]:[E1003 {time}.467156987 ProcessGroupNCCL.cpp:633] "
    text = (
        f"{head}[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, "
        "NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600011 milliseconds before timing out.\n"
    )
    if enqueued is not None:
        text += (
            f"{head}[PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} "
            f"PG status: last enqueued work: {enqueued}, last completed work: {seq - 1}\n"
        )
    return text


def test_an_exception_explains_the_peers_that_lost_their_connection(diagnose_text: Diagnose) -> None:
    found = diagnose_text(traceback("[rank0]: ", GLOO) + traceback("[rank3]: ", "KeyError: 50257"))
    assert (found.cause.line, found.first_failure.rank) == (6, 3)


def test_a_memory_error_in_a_thread_ten_minutes_earlier_is_the_root_of_the_timeouts(diagnose_text: Diagnose) -> None:
    log = "7: Exception in thread Thread-3 (Embed):\n" + traceback("7: ", OOM)
    log += "".join(f"{rank}: " + watchdog(rank) for rank in range(7))
    log += "".join(f"srun: error: node-05: task {rank}: Exited with exit code 134\n" for rank in range(7))
    log += "srun: error: node-05: task 7: Exited with exit code 1\n"
    found = diagnose_text(log)
    assert (found.category, found.cause.line, found.first_failure.rank, found.exit.code) == ("gpu-memory", 4, 7, 1)
    assert found.confidence == "confirmed"


def test_a_crash_without_a_word_beats_timeouts_and_lost_peers(diagnose_text: Diagnose) -> None:
    log = traceback("[rank0]: ", GLOO) + "srun: error: node2: task 3: Segmentation fault\n"
    log += "srun: error: node1: tasks 0-1: Exited with exit code 1\n"
    found = diagnose_text(log)
    assert (found.category, found.first_failure.rank, found.exit.code) == ("native-crash", 3, 139)


def test_a_crash_loses_to_a_cause_of_its_own_rank(diagnose_text: Diagnose) -> None:
    log = traceback("3: ", OOM) + "srun: error: node2: task 3: Aborted\nsrun: error: node1: tasks 0-2: Terminated\n"
    found = diagnose_text(log)
    assert (found.category, found.first_failure.rank, found.exit.code) == ("gpu-memory", 3, 134)


def steps(first: int, last: int) -> str:
    return "".join(
        f" iteration {step:8d}/    2000 | elapsed time per iteration (ms): 7.2 | loss: 19.5 |\n"
        for step in range(first, last)
    )


def test_an_error_followed_by_further_steps_was_survived(diagnose_text: Diagnose) -> None:
    log = steps(1, 4) + traceback("", "ConnectionError: wandb is away") + steps(4, 9)
    log += traceback("", "KeyError: 'loss'")
    assert diagnose_text(log).cause.line == len(log.splitlines())


def test_a_time_limit_on_a_healthy_run_is_the_root(diagnose_text: Diagnose) -> None:
    log = (
        steps(1, 9)
        + "slurmstepd: error: *** STEP 146.0 ON node1 CANCELLED AT 2026-12-01T02:21:11 DUE TO TIME LIMIT ***\n"
    )
    found = diagnose_text(log)
    assert (found.category, found.exit.code, found.action) == ("time-limit", None, "raise-limit")


def test_a_time_limit_after_an_error_is_only_the_tail_of_the_hang(diagnose_text: Diagnose) -> None:
    log = traceback("2: ", "ValueError: bad shard") + "srun: error: node1: task 2: Exited with exit code 1\n"
    log += "0: slurmstepd: error: *** STEP 146.0 ON node1 CANCELLED AT 2026-12-01T02:21:11 DUE TO TIME LIMIT ***\n"
    found = diagnose_text(log)
    assert (found.cause.line, found.first_failure.rank) == (3, 2)


def test_different_operations_at_one_sequence_number_are_a_mismatch(diagnose_text: Diagnose) -> None:
    found = diagnose_text(watchdog(1) + watchdog(2) + watchdog(3, op="BROADCAST"))
    assert (found.category, found.first_failure.rank, found.cause.line) == ("collective-mismatch", 3, 3)


def test_a_rank_whose_last_enqueued_number_is_behind_is_lagging(diagnose_text: Diagnose) -> None:
    behind = (
        "[rank3]:[E1003 22:26:03.555683286 ProcessGroupNCCL.cpp:1764] [PG ID 0 PG GUID 0(default_pg) Rank 3] Received a dump "
        "signal due to a collective timeout from  rank 2 and we will try our best to dump the debug info. "
        "Last enqueued NCCL work: 91, last completed NCCL work: 91.\n"
    )
    log = "".join(
        watchdog(rank, enqueued=92).replace(
            "[PG ID 0 PG GUID 0(default_pg) Rank", "[PG ID 0 PG GUID 0(default_pg) Rank"
        )
        for rank in (0, 1, 2)
    )
    found = diagnose_text(log + behind)
    assert found.lagging_ranks == [3]
    assert found.first_failure.rank == 3


def test_timeouts_alone_blame_nobody(diagnose_text: Diagnose) -> None:
    found = diagnose_text(watchdog(0) + watchdog(1))
    assert (found.category, found.first_failure.rank, found.confidence) == ("collective-timeout", None, "weak")


def test_the_same_error_on_every_rank_has_no_first_rank(diagnose_text: Diagnose) -> None:
    log = "".join(traceback(f"{rank}: ", "KeyError: 'WORLD_SIZE'") for rank in range(4))
    assert diagnose_text(log).first_failure.rank == "all"


def test_a_label_is_a_node_under_torchrun(diagnose_text: Diagnose) -> None:
    log = "1: [default1]:" + traceback("", "x").replace("\n", "\n1: [default1]:", 2)
    log = "".join(f"1: [default1]:[rank3]: {line}\n" for line in traceback("", "KeyError: 5").splitlines())
    log += "0: [default0]:[rank0]: hello\nsrun: error: node2: task 1: Exited with exit code 1\n"
    found = diagnose_text(log)
    assert (found.first_failure.rank, found.first_failure.node) == (3, "node2")


def test_a_success_before_and_noise_after_is_ok(diagnose_text: Diagnose) -> None:
    log = (
        steps(1990, 2000) + "2026-12-01 01:00:00,000 [rank 0] INFO: training finished\n" + traceback("[rank1]: ", GLOO)
    )
    assert diagnose_text(log).verdict == "ok"


def test_a_log_that_just_stops_cannot_be_judged(diagnose_text: Diagnose) -> None:
    found = diagnose_text(steps(1, 5))
    assert (found.verdict, found.category, found.cause.line) == ("unknown", "unknown", None)


def test_an_unknown_exit_code_is_told_with_its_rank_and_no_reason(diagnose_text: Diagnose) -> None:
    found = diagnose_text(
        "srun: error: node1: task 1: Exited with exit code 3\nsrun: error: node1: tasks 0,2-3: Terminated\n"
    )
    assert (found.category, found.first_failure.rank, found.exit.code, found.confidence) == ("unknown", 1, 3, "weak")


@pytest.mark.parametrize("seed", range(10))
def test_how_streams_are_merged_does_not_change_the_verdict(diagnose_text: Diagnose, seed: int) -> None:
    streams = [traceback(f"{rank}: ", GLOO).splitlines() for rank in range(3)] + [traceback("3: ", OOM).splitlines()]
    chance = random.Random(seed)
    merged = []
    while any(streams):
        merged.append(chance.choice([stream for stream in streams if stream]).pop(0))
    found = diagnose_text("\n".join(merged) + "\n")
    assert (found.category, found.first_failure.rank) == ("gpu-memory", 3)


def test_the_sizes_of_a_mixture_of_experts_are_in_the_answer(diagnose_text: Diagnose) -> None:
    sizes = "  expert_model_parallel_size ...................... 8\n  num_experts ..................................... 256\n"
    sizes += "  tensor_model_parallel_size ...................... 2\n"
    found = diagnose_text(sizes + traceback("[rank3]: ", OOM))
    assert any("256 experts (TP 2, EP 8): 32 experts on each GPU" in note for note in found.notes)
    assert any("60 GB" in step.do for step in found.fix)


UNKNOWN = (
    "loading plan\n"
    + "WARNING: could not pin thread\n" * 3
    + "frobnicator refused the plan: quota of widgets exceeded\nsrun: error: node1: task 1: Exited with exit code 3\n"
)


def test_an_unknown_failure_shows_the_rarest_line_of_trouble(diagnose_text: Diagnose) -> None:
    found = diagnose_text(UNKNOWN)
    assert found.category == "unknown"
    assert any("frobnicator" in entry.text for entry in found.story)


def test_a_good_log_takes_its_lines_out_of_the_evidence(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text("WARNING: could not pin thread\nall fine\n")
    (tmp_path / "bad.log").write_text(UNKNOWN)
    found = diagnose(tmp_path / "bad.log", Options(baseline=str(tmp_path / "good.log")), catalogue)
    texts = [entry.text for entry in found.story if entry.role == "context"]
    assert any("frobnicator" in text for text in texts)
    assert not any("pin thread" in text for text in texts)


def test_what_the_good_log_does_not_say_needs_no_word_of_trouble(catalogue: Catalogue, tmp_path: Path) -> None:
    steps = "".join(f"halo exchange {step} took 0.1 s\n" for step in range(30))
    (tmp_path / "good.log").write_text(steps)
    (tmp_path / "bad.log").write_text(
        steps + "QFLOP-1178: halo checksum disagreement at site 12\nsrun: error: n1: task 2: Exited with exit code 71\n"
    )
    found = diagnose(tmp_path / "bad.log", Options(baseline=str(tmp_path / "good.log")), catalogue)
    assert [entry.line for entry in found.story if entry.text.startswith("worth a look")] == [31]
