"""Flight Recorder dumps: plain data only, and which rank is behind or runs something else."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from madeup import Job

from diagnose import diagnose
from diagnose.events.flight_recorder import UnreadableDump, read_dump
from diagnose.signatures import Catalogue


def dump(ranks: int, enqueued: int, operation: str = "nccl:all_reduce") -> dict[str, Any]:
    return {
        "version": "2.5",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": json.dumps(list(range(ranks)))}},
        "pg_status": {"0": {"last_enqueued_collective": enqueued, "last_started_collective": -1, "last_completed_collective": 420}},
        "entries": [{"pg_id": 0, "collective_seq_id": 421, "profiling_name": operation, "input_sizes": [[4096]], "is_p2p": False}],
    }  # fmt: skip


def hung_job(folder: Path, ranks: int = 16) -> None:
    job = Job(ranks, "srun", seed=1)
    job.start()
    for rank in range(ranks - 1):
        job.watchdog(660, rank, 421)
    (folder / "job.log").write_text(job.merged())


@pytest.mark.parametrize("form", [pickle.dumps, lambda value: json.dumps(value).encode()])
def test_a_dump_is_read_as_pickle_and_as_json(form: Any) -> None:
    found = read_dump(form(dump(2, 421)), rank=1)
    assert (found.rank, found.members, found.enqueued, found.completed) == (1, (0, 1), 421, 420)
    assert found.operations[421][0] == "nccl:all_reduce"


def test_a_pickle_that_would_run_code_is_refused() -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.system, ("touch /tmp/owned",)

    with pytest.raises(UnreadableDump, match="plain data only"):
        read_dump(pickle.dumps(Evil()), rank=0)


@pytest.mark.parametrize("data", [b"", b"garbage", b"{}", b"[1]", pickle.dumps([1])])
def test_what_is_no_dump_is_told(data: bytes) -> None:
    with pytest.raises(UnreadableDump):
        read_dump(data, rank=0)


def test_the_rank_that_enqueued_less_is_behind(tmp_path: Path, catalogue: Catalogue) -> None:
    hung_job(tmp_path)
    for rank in range(16):
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump(16, 420 if rank == 9 else 421)))
    found = diagnose(tmp_path, catalogue=catalogue)
    assert (found.category, found.lagging_ranks, found.first_failure.rank, found.first_failure.node) == (
        "collective-timeout",
        [9],
        9,
        "node-002",
    )


def test_a_rank_that_runs_something_else_is_a_mismatch(tmp_path: Path, catalogue: Catalogue) -> None:
    hung_job(tmp_path)
    for rank in range(16):
        operation = "nccl:broadcast" if rank == 4 else "nccl:all_reduce"
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump(16, 421, operation)))
    found = diagnose(tmp_path, catalogue=catalogue)
    assert (found.category, found.first_failure.rank) == ("collective-mismatch", 4)


def test_an_unreadable_dump_is_left_out_and_told(tmp_path: Path, catalogue: Catalogue) -> None:
    hung_job(tmp_path)
    (tmp_path / "nccl_trace_rank_3").write_bytes(b"garbage")
    assert any(
        "nccl_trace_rank_3: neither a pickle nor JSON" in note for note in diagnose(tmp_path, catalogue=catalogue).notes
    )
