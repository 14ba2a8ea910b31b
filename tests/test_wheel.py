"""The wheel works in an empty environment, outside the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    (wheel,) = folder.glob("*.whl")
    python = folder / "venv/bin/python"
    subprocess.run(
        [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", wheel],
        check=True,
        capture_output=True,
    )
    return folder / "venv/bin/slurm-doctor"


def test_an_installed_wheel_diagnoses_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("srun: error: node2: task 3: Out Of Memory\n")
    done = subprocess.run([installed, "--format", "json", "job.log"], cwd=tmp_path, capture_output=True, check=False)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["category"], answer["tool"]["version"]) == (1, "host-memory", "0.1.0")
    assert answer["notes"] == []
