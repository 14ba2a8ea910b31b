"""The files of one job: what their paths tell, and one answer from all of them."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
from madeup import SCENARIOS, Job

from diagnose import Unreadable, diagnose, diagnose_together
from diagnose.logs import folder
from diagnose.logs.folder import read_writer
from diagnose.logs.source import Writer
from diagnose.signatures import Catalogue

ERROR = 'Traceback (most recent call last):\n  File "train.py", line 9, in main\n{last}\n'
LOST = "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.7]:6057."


@pytest.mark.parametrize(
    ("path", "writer"),
    [
        ("run_x1/attempt_0/3/stderr.log", Writer(local_rank=3, attempt=0)),
        ("node-02/attempt_1/0/stdout.log", Writer(local_rank=0, node="node-02", attempt=1)),
        ("rank_7.log", Writer(rank=7)),
        ("logs/workerlog.5", Writer(rank=5)),
        ("log-node-003.out", Writer(node="node-003")),
        ("train-4242-12.out", Writer(task=12)),
        ("slurm-4242.out", Writer()),
        ("train.log", Writer()),
    ],
)
def test_paths_tell_who_wrote_a_file(path: str, writer: Writer) -> None:
    assert read_writer(path) == writer


def test_the_rank_comes_from_the_files_name(tmp_path: Path, catalogue: Catalogue) -> None:
    for rank in range(4):
        last = "KeyError: 'x'" if rank == 2 else LOST
        (tmp_path / f"rank_{rank}.log").write_text(ERROR.format(last=last))
    found = diagnose(tmp_path, catalogue=catalogue)
    assert (found.cause.file, found.cause.line, found.first_failure.rank) == ("rank_2.log", 3, 2)


def test_standard_output_and_error_of_one_job_are_read_together(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "slurm-4242.out").write_text(
        " iteration        1/    2000 | elapsed time per iteration (ms): 7.2 | lm loss: 1.0 |\n"
    )
    (tmp_path / "slurm-4242.err").write_text(
        ERROR.format(last="KeyError: 'x'") + "srun: error: node1: task 0: Exited with exit code 1\n"
    )
    found = diagnose(tmp_path, catalogue=catalogue)
    assert (found.cause.file, found.exit.code, found.job.last_step) == ("slurm-4242.err", 1, 1)
    together = diagnose_together([tmp_path / "slurm-4242.out", tmp_path / "slurm-4242.err"], catalogue=catalogue)
    assert (together.category, together.exit.code) == (found.category, found.exit.code)


def test_torchrun_log_dir_keeps_local_ranks(tmp_path: Path, catalogue: Catalogue) -> None:
    for local in range(2):
        file = tmp_path / f"run_x1/attempt_0/{local}/stderr.log"
        file.parent.mkdir(parents=True)
        file.write_text(ERROR.format(last="KeyError: 'x'" if local else LOST))
    found = diagnose(tmp_path, catalogue=catalogue)
    assert (found.cause.file, found.first_failure.local_rank) == ("run_x1/attempt_0/1/stderr.log", 1)


def test_the_logs_of_several_jobs_are_refused(tmp_path: Path, catalogue: Catalogue) -> None:
    for job in (4242, 4243):
        (tmp_path / f"slurm-{job}.out").write_text("hello\n")
    with pytest.raises(Unreadable, match="several jobs"):
        diagnose(tmp_path, catalogue=catalogue)


def test_a_folder_without_logs_is_refused(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "model.pt").write_bytes(b"PK\x03\x04")
    with pytest.raises(Unreadable, match="without a readable log"):
        diagnose(tmp_path, catalogue=catalogue)


def test_more_files_than_a_process_may_open(tmp_path: Path, catalogue: Catalogue) -> None:
    count = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1500) + 10
    for rank in range(count):
        (tmp_path / f"rank_{rank}.log").write_text("hello\n")
    (tmp_path / "rank_5.log").write_text(ERROR.format(last="KeyError: 'x'"))
    assert diagnose(tmp_path, catalogue=catalogue).first_failure.rank == 5


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "one_rank_absent"])
def test_one_file_for_each_node_gives_the_same_cause(scenario: str, tmp_path: Path, catalogue: Catalogue) -> None:
    job = Job(32, "srun", seed=7)
    truth = SCENARIOS[scenario](job)
    for name, text in job.per_node().items():
        (tmp_path / name).write_text(text)
    found = diagnose(tmp_path, catalogue=catalogue)
    assert found.verdict == truth.verdict
    assert found.category in truth.categories
    assert found.first_failure.rank == truth.rank or (truth.rank is None and found.first_failure.rank == "all")


def test_files_beyond_the_limit_are_noted(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_FILES", 2)
    for rank in range(5):
        (tmp_path / f"rank_{rank}.log").write_text("hello\n")
    found = diagnose(tmp_path, catalogue=catalogue)
    assert [note for note in found.notes if "holds 5 logs; only the first 2" in note]
    assert found.stats.lines == 2


def test_a_folder_is_walked_once(tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    (tmp_path / "nccl_trace_rank_0").write_bytes(b"nonsense")
    walks = []
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda *args, **more: walks.append(args) or walk(*args, **more))
    monkeypatch.setattr(Path, "rglob", lambda *_: pytest.fail("walked in another way"))
    found = diagnose(tmp_path, catalogue=catalogue)
    assert len(walks) == 1
    assert any("nccl_trace_rank_0" in note for note in found.notes)


def test_what_is_no_log_stays_none_when_compressed(tmp_path: Path) -> None:
    for name in ("a.out.gz", "b.log.1.zst", "c.xz", "d.csv.gz", "e.jsonl.zst", "f.tar.gz", "g.err"):
        (tmp_path / name).touch()
    assert folder.list_folder(str(tmp_path)).logs == ["a.out.gz", "b.log.1.zst", "c.xz", "g.err"]


def test_the_last_file_of_a_folder_that_cannot_be_read_is_noted(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    (tmp_path / "b.log.gz").write_bytes(b"\x1f\x8b nonsense")
    assert any("b.log.gz: not a readable gzip file" in note for note in diagnose(tmp_path, catalogue=catalogue).notes)


def test_steps_in_another_file_are_not_after_an_error_without_a_clock(tmp_path: Path, catalogue: Catalogue) -> None:
    steps = "".join(f" iteration {step:8d}/     100 | consumed samples: 1 | lm loss: 2.0 |\n" for step in range(1, 9))
    for rank in range(4):
        last = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n" if rank == 1 else ""
        (tmp_path / f"rank_{rank}.log").write_text(steps[: 40 if last else None] + last)
    found = diagnose(tmp_path, catalogue=catalogue)
    assert (found.category, found.first_failure.rank) == ("gpu-memory", 1)
