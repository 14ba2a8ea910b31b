"""Shared fixtures: the shipped catalogue, loaded once, and a way to diagnose a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from diagnose import Diagnosis, diagnose
from diagnose.signatures import Catalogue, load_catalogue

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture
def diagnose_text(catalogue: Catalogue, tmp_path: Path) -> Callable[[str], Diagnosis]:
    def run(text: str) -> Diagnosis:
        log = tmp_path / "job.log"
        log.write_text(text)
        return diagnose(log, catalogue=catalogue)

    return run
