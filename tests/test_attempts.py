"""Several attempts in one log: which one decides, and what the answer tells of the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from diagnose import Diagnosis, diagnose
from diagnose.logs import BEGIN, END

Diagnose = Callable[[str], Diagnosis]

STEPS = "".join(
    f" iteration {step:8d}/     100 | elapsed time per iteration (ms): 900.0 | lm loss: 2.0 |\n" for step in range(1, 9)
)
DONE = "[after training is done] datetime: 2026-03-04 03:00:00\n"
OOM = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
MISSING = "Traceback (most recent call last):\n  File \"/x/train.py\", line 1, in <module>\n    import apex\nModuleNotFoundError: No module named 'apex'\n"
RESTART = "[default] Worker group FAILED. 2/3 attempts left; will restart worker group\n"
LAUNCH = "[before the start of training step] datetime: 2026-03-04 01:57:01\n"


def test_a_run_that_fails_behind_one_that_succeeded_has_failed(diagnose_text: Diagnose) -> None:
    found = diagnose_text(LAUNCH + STEPS + DONE + "+ srun python train.py\n" + MISSING)
    assert (found.verdict, found.category, found.cause.line) == ("failed", "python-import", 15)
    assert [(one.phase, one.ended, one.category) for one in found.incidents] == [
        ("training", "finished", "none"),
        ("set-up", "failed", "python-import"),
    ]
    assert not any("teardown" in note for note in found.notes)


def test_an_error_in_the_teardown_of_the_same_run_is_told_as_that(diagnose_text: Diagnose) -> None:
    found = diagnose_text(LAUNCH + STEPS + DONE + OOM + "srun: error: n1: task 3: Exited with exit code 1\n")
    assert found.incidents[0].phase == "teardown"
    assert any("teardown" in note for note in found.notes)


def test_a_restart_that_trains_on_clears_what_ended_the_attempt_before(diagnose_text: Diagnose) -> None:
    found = diagnose_text(OOM + RESTART + STEPS + DONE)
    assert found.verdict == "ok"
    assert [(one.ended, one.category, one.cause_line) for one in found.incidents] == [
        ("restarted", "gpu-memory", 1),
        ("finished", "none", None),
    ]


def test_an_earlier_report_ends_an_attempt(diagnose_text: Diagnose) -> None:
    report = f"{BEGIN}\nFailed: gpu-memory\nThe GPU ran out of memory\n\n  > {OOM}{END}\n"
    found = diagnose_text(OOM + report + "+ srun python train.py\n" + STEPS + DONE)
    assert found.verdict == "ok"
    assert [one.ended for one in found.incidents] == ["restarted", "finished"]


def test_a_report_that_was_cut_off_hides_nothing_behind_it(diagnose_text: Diagnose) -> None:
    found = diagnose_text(f"{BEGIN}\nFailed: unknown\nsomething\n\nWhy\n  because\n\n{MISSING}")
    assert (found.category, found.cause.line) == ("python-import", 11)


def test_the_attempts_of_torchrun_s_log_folders(catalogue, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for attempt, text in (
        (0, OOM),
        (
            1,
            STEPS
            + 'Traceback (most recent call last):\n  File "t.py", line 2, in f\nZeroDivisionError: division by zero\n',
        ),
    ):
        file = tmp_path / f"job/run_1/attempt_{attempt}/3/stderr.log"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    found = diagnose(tmp_path / "job", catalogue=catalogue)
    assert (found.category, found.cause.file) == ("python-error", "run_1/attempt_1/3/stderr.log")
    assert [(one.ended, one.category) for one in found.incidents] == [
        ("restarted", "gpu-memory"),
        ("failed", "python-error"),
    ]


def test_the_last_of_several_jobs_in_one_file_decides(diagnose_text: Diagnose) -> None:
    found = diagnose_text(
        MISSING
        + "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-03-04T02:00:00 ***\n"
        + LAUNCH
        + STEPS
        + "slurmstepd: error: *** JOB 78 ON n1 CANCELLED AT 2026-03-04T04:00:00 DUE TO TIME LIMIT ***\n"
    )
    assert (found.category, found.cause.line) == ("time-limit", 15)
