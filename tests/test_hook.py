"""The line for job scripts, in bash: whatever the doctor does, the script ends as it would have without it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from diagnose.cli.hook import HOOK_LINE

WAYS = ["", "set -e", "set -euo pipefail"]
ENDINGS = {"true": 0, "false": 1, "bash -c 'exit 7'": 7, "bash -c 'kill -9 $$'": 137}
DOCTORS = {
    "works": "echo REPORT of $*; exit 1",
    "missing": None,
    "fails": "echo broken >&2; exit 99",
    "crashes": "kill -SEGV $$",
    "hangs": "trap '' TERM; sleep 600",
}


def run_script(folder: Path, doctor: str | None, way: str, command: str, seconds: str = "20") -> tuple[int, str, float]:
    """Run a job script with the hook line, its output in a log, as Slurm would."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    if doctor is not None:
        program = bin_folder / "slurm-doctor"
        program.write_text(f"#!/bin/bash\n{doctor}\n")
        program.chmod(0o755)
    script = folder / "job.sh"
    line = HOOK_LINE.replace("timeout -k 1 20", f"timeout -k 1 {seconds}")
    script.write_text(f"#!/bin/bash\n#SBATCH -N1\n{line}\n{way}\necho working\n{command}\n")
    log = folder / "job.log"
    started = time.monotonic()
    with log.open("wb") as out:
        environment = {"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
        done = subprocess.run(["bash", str(script)], stdout=out, stderr=out, env=environment, check=False)
    return done.returncode, log.read_text(), time.monotonic() - started


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("command", ENDINGS)
@pytest.mark.parametrize("name", [name for name in DOCTORS if name != "hangs"])
def test_the_exit_status_is_kept(tmp_path: Path, way: str, command: str, name: str) -> None:
    status, text, _ = run_script(tmp_path, DOCTORS[name], way, command)
    assert status == ENDINGS[command]
    if name == "works":
        assert f"REPORT of --exit-code {ENDINGS[command]} {tmp_path / 'job.log'}" in text


@pytest.mark.parametrize("way", WAYS)
def test_a_doctor_that_hangs_is_ended_and_the_status_is_kept(tmp_path: Path, way: str) -> None:
    status, _, seconds = run_script(tmp_path, DOCTORS["hangs"], way, "bash -c 'exit 7'", seconds="1")
    assert status == 7
    assert seconds < 10


def test_the_line_itself_gives_the_doctor_twenty_seconds() -> None:
    assert "timeout -k 1 20 slurm-doctor" in HOOK_LINE


def test_the_real_doctor_reads_the_log_that_it_writes_to(tmp_path: Path) -> None:
    real = f'exec {sys.executable} -c "from diagnose.cli.main import run; run()" "$@"'
    error = """python3 -c "raise KeyError('accuracy')" """
    status, text, _ = run_script(tmp_path, real, "set -e", error)
    assert status == 1
    assert "KeyError: 'accuracy'" in text.split("=== slurm-doctor report ===")[0]
    assert "python-error" in text.split("=== slurm-doctor report ===")[1]
