"""Made-up jobs of 8 to 4,096 ranks: every scenario, launch style and way of merging has the same right answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from madeup import SCENARIOS, Job, Truth

from diagnose import Diagnosis, diagnose
from diagnose.signatures import Catalogue

STYLES = ("srun", "torchrun", "none")
WAYS = {
    "plain": {},
    "skewed clocks": {"skew_hours": 8.0},
    "few clocks": {"without_clock": 0.6},
    "buffered": {"buffered": True},
}


def faults(found: Diagnosis, truth: Truth, style: str) -> list[str]:
    """What is wrong with an answer, field by field."""
    wrong = []
    if found.verdict != truth.verdict:
        wrong.append(f"verdict {found.verdict}")
    if found.category not in truth.categories:
        wrong.append(f"category {found.category} ({found.title})")
    if truth.root and truth.root not in (found.cause.text or ""):
        wrong.append(f"root line {found.cause.line}: {(found.cause.text or '')[:90]}")
    if found.first_failure.rank != truth.rank and not (truth.rank is None and found.first_failure.rank == "all"):
        wrong.append(f"rank {found.first_failure.rank}, not {truth.rank}")
    if truth.node and found.first_failure.node != truth.node:
        wrong.append(f"node {found.first_failure.node}, not {truth.node}")
    if truth.exit_code is not None and found.exit.code != truth.exit_code:
        wrong.append(f"exit {found.exit.code}, not {truth.exit_code}")
    return wrong


def run(job: Job, scenario: str, catalogue: Catalogue, folder: Path) -> list[str]:
    truth = SCENARIOS[scenario](job)
    log = folder / "job.log"
    log.write_text(job.merged())
    return faults(diagnose(log, catalogue=catalogue), truth, job.style)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_job_of_32_ranks(scenario: str, style: str, way: str, catalogue: Catalogue, tmp_path: Path) -> None:
    assert run(Job(32, style, seed=1, **WAYS[way]), scenario, catalogue, tmp_path) == []


@pytest.mark.parametrize("ranks", [16, 256])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_small_and_large_jobs(scenario: str, style: str, ranks: int, catalogue: Catalogue, tmp_path: Path) -> None:
    assert run(Job(ranks, style, seed=2), scenario, catalogue, tmp_path) == []


@pytest.mark.parametrize("scenario", ["one_rank_absent", "exception_long_before", "memory_ecc"])
def test_a_job_of_4096_ranks(scenario: str, catalogue: Catalogue, tmp_path: Path) -> None:
    assert run(Job(4096, "srun", seed=3), scenario, catalogue, tmp_path) == []


def test_nobody_is_called_absent_where_only_rank_0_logs(catalogue: Catalogue, tmp_path: Path) -> None:
    assert run(Job(32, "srun", seed=4, only_rank_0=True), "one_rank_absent", catalogue, tmp_path) == []


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_merge_does_not_change_the_verdict(scenario: str, seed: int, catalogue: Catalogue, tmp_path: Path) -> None:
    assert (
        run(Job(16, STYLES[seed % 3], seed=seed, buffered=True, without_clock=0.6), scenario, catalogue, tmp_path) == []
    )
