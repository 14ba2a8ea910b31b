"""Completion as bash does it: the printed script, sourced in a real shell, asks the real command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

ASK = r"""
source /dev/stdin <<< "$(slurm-doctor completion bash)"
compopt() { kind="$2"; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_slurm_doctor_completion slurm-doctor
printf '%s\n' "${COMPREPLY[@]}" "kind=$kind"
"""


@pytest.fixture
def completed(tmp_path: Path):  # type: ignore[no-untyped-def]
    """What bash offers behind some words, the last of which is unfinished."""
    command = tmp_path / "bin/slurm-doctor"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from diagnose.cli.main import run; run()' \"$@\"\n")
    command.chmod(0o755)
    environment = {"PATH": f"{command.parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}

    def ask(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", ASK, "bash", "slurm-doctor", *words],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stderr == ""
        return [line for line in done.stdout.split("\n") if line]

    return ask


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ru"], ["rules", "kind="]),
        (["rules", "s"], ["schema", "show", "kind="]),
        (["rules", "show", "address-in"], ["address-in-use", "kind="]),
        (["rules", "test", "--only", "address-in"], ["address-in-use", "kind="]),
        (["explain", "gpu-mem"], ["gpu-memory", "kind="]),
        (["explain", "address-in"], ["address-in-use", "kind="]),
        (["rules", "list", "--category", "stor"], ["storage", "kind="]),
        (["rules", "list", "--role", "be"], ["benign", "kind="]),
        (["rules", "list", "--cat"], ["--category", "kind="]),
        (["--exit-z"], ["--exit-zero", "kind="]),
        (["job.log", "--exit-z"], ["--exit-zero", "kind="]),
        (["job.lo"], ["kind=default"]),
        (["job.log", "another.lo"], ["kind=default"]),
        (["completion", "f"], ["fish", "kind="]),
    ],
)
def test_bash_completes(words: list[str], offered: list[str], completed) -> None:  # type: ignore[no-untyped-def]
    assert completed(*words) == offered


@pytest.mark.parametrize(
    ("shell", "says"), [("zsh", "#compdef slurm-doctor"), ("fish", "complete --no-files --command slurm-doctor")]
)
def test_other_shells_get_their_own_script(shell: str, says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from diagnose.cli.main import run; run()", "completion", shell],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert says in done.stdout
    assert "_SLURM_DOCTOR_COMPLETE" in done.stdout
