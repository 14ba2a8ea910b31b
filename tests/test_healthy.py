"""Runs in which nothing has failed yet, or ever: none is called failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from madeup import Job

from diagnose import diagnose
from diagnose.check import Case, find_cases
from diagnose.signatures import Catalogue

CASES = [case for case in find_cases([ROOT / "fixtures"]) if case.expect["root_lines"]]

SIGNS_BEFORE_THE_LABELLED_LINES = {
    "real/007-exc-redirect": "torchelastic's agent reports an exit code in line 2",
    "real/094-cancel-torchrun": "torchelastic received SIGTERM in line 13",
    "slurm/024-pyxis-no-name-for-user-id": "pyxis says in line 1 that the container did not start",
    "slurm/025-enroot-hook-ldconfig-alpine": "pyxis says in line 1 that the container did not start",
    "slurm/033-pyxis-import-killed-by-cgroup": "pyxis says in line 2 that its child was killed",
    "slurm/073-wandb-init-timeout-rank0-rest-killed": "the inner exception of the chain stands in line 6",
}
"""Fixtures whose log shows trouble before any line that its label names, with the reason."""


def first_sign(expect: dict[str, object]) -> int:
    """The first line that the label calls a root or a consequence."""
    lines = [*expect["root_lines"], *(int(line) for line in expect.get("cascade_lines") or [])]  # type: ignore[misc]
    return min(lines)


def part_before(text: bytes, sign: int) -> bytes:
    """The lines before the first sign, without a traceback that has begun but not ended."""
    part = text.split(b"\n")[: sign - 1]
    for place, line in enumerate(part):
        if b"Traceback (most recent call last)" in line or b"Exception in thread" in line:
            part = part[:place]
            break
    return b"\n".join(part) + b"\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_failing_log_cut_before_its_first_sign_is_not_called_failed(
    case: Case, tmp_path: Path, catalogue: Catalogue
) -> None:
    part = part_before(case.log.read_bytes(), first_sign(case.expect))
    if case.name in SIGNS_BEFORE_THE_LABELLED_LINES:
        pytest.skip(SIGNS_BEFORE_THE_LABELLED_LINES[case.name])
    if not part.strip():
        pytest.skip("the log begins with its failure")
    log = tmp_path / "cut.log"
    log.write_bytes(part)
    found = diagnose(log, catalogue=catalogue)
    assert found.verdict != "failed", f"line {found.cause.line}: {found.cause.text}"


@pytest.mark.parametrize("ranks", [8, 64, 512])
@pytest.mark.parametrize("style", ["srun", "torchrun", "none"])
@pytest.mark.parametrize("finished", [True, False])
def test_a_made_up_healthy_run(ranks: int, style: str, finished: bool, tmp_path: Path, catalogue: Catalogue) -> None:
    job = Job(ranks, style, seed=5, buffered=True)  # type: ignore[arg-type]
    job.start()
    end = job.train(1, 40, 60)
    if finished:
        job.say(end, 0, f"[after training is done] datetime: {job.stamp(end, 0):%Y-%m-%d %H:%M:%S} ")
    log = tmp_path / "job.log"
    log.write_text(job.merged())
    found = diagnose(log, catalogue=catalogue)
    assert found.verdict == ("ok" if finished else "unknown")
    assert found.job.last_step == 40
