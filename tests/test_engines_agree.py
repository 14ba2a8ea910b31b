"""The same diagnosis, byte for byte, whatever the engine, the size of blocks, and where the bytes come from."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT
from msgspec.structs import replace

from diagnose import Diagnosis, diagnose
from diagnose.logs import open_log
from diagnose.model import Stats
from diagnose.scan import Scanner, cut_windows
from diagnose.signatures import Catalogue

ENGINES = ("hyperscan", "ahocorasick", "standard")
LOGS = sorted(ROOT.glob("fixtures/*/*.log"))
FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "5"))
"""How long random logs are tried; CI gives it a minute."""


def without_stats(found: Diagnosis) -> Diagnosis:
    return replace(found, stats=Stats(0, 0, 0.0, 0, ""))


def made_of_fixtures(seed: int, size: int) -> bytes:
    """A large log: lines of several fixtures and fillers, in pieces that also cut lines, bars and colours."""
    chance = random.Random(seed)
    pieces: list[bytes] = []
    total = 0
    while total < size:
        lines = chance.choice(LOGS).read_bytes().splitlines(keepends=True)
        start = chance.randrange(len(lines))
        piece = b"".join(lines[start : start + chance.randint(1, 40)])
        kind = chance.randrange(8)
        if kind == 0:
            piece = piece.replace(b"\n", b"\r")
        elif kind == 1:
            piece = b"\x1b[31m" + piece + b"\x1b[0m"
        elif kind == 2:
            piece = b"%d: " % chance.randrange(64) + piece.replace(b"\n", b"\n%d: " % chance.randrange(64))
        elif kind == 3:
            piece = b"x" * chance.randrange(40_000) + piece
        elif kind > 5:
            piece += (
                b" iteration %8d/  500000 | consumed samples: 1 | lm loss: 2.0 |\n" % total * chance.randint(1, 400)
            )
        pieces.append(piece)
        total += len(piece)
    return b"".join(pieces)


def windows_of(path: Path, catalogue: Catalogue, block_bytes: int) -> list[tuple[int, bytes]]:
    log = open_log(str(path))
    try:
        scanned = Scanner(catalogue, log.size).scan(log, block_bytes)
        return [(scanned.lines, b""), *cut_windows(log, scanned, catalogue)]
    finally:
        log.close()


@pytest.mark.parametrize("name", ENGINES)
def test_every_fixture(name: str, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip({"hyperscan": "hyperscan", "ahocorasick": "ahocorasick_rs", "standard": "re"}[name])
    for log in LOGS if name != "standard" else LOGS[::8]:
        monkeypatch.delenv("SLURM_DOCTOR_ENGINE", raising=False)
        usual = diagnose(log, catalogue=catalogue)
        monkeypatch.setenv("SLURM_DOCTOR_ENGINE", name)
        assert without_stats(diagnose(log, catalogue=catalogue)) == without_stats(usual), log


def test_engines_and_block_sizes_on_random_large_logs(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = time.monotonic() + FUZZ_SECONDS
    seed = 0
    while seed == 0 or time.monotonic() < end:
        log = tmp_path / "fuzz.log"
        log.write_bytes(made_of_fixtures(seed, 1_500_000))
        monkeypatch.setenv("SLURM_DOCTOR_ENGINE", "ahocorasick")
        usual = windows_of(log, catalogue, 512 * 1024)
        assert windows_of(log, catalogue, 64 * 1024) == usual, seed
        monkeypatch.setenv("SLURM_DOCTOR_ENGINE", "hyperscan")
        assert windows_of(log, catalogue, 200_000) == usual, seed
        seed += 1


def test_a_pipe_gives_the_same_as_a_file(tmp_path: Path) -> None:
    log = tmp_path / "large.log"
    log.write_bytes(made_of_fixtures(7, 5_000_000))
    command = [sys.executable, "-c", "from diagnose.cli.main import run; run()", "--format", "json"]
    of_file = subprocess.run([*command, str(log)], capture_output=True, check=False)
    of_pipe = subprocess.run([*command, "-"], input=log.read_bytes(), capture_output=True, check=False)
    named = of_pipe.stdout.replace(b'"file": "-"', b'"file": "%s"' % os.fsencode(log))

    def told(output: bytes) -> bytes:
        return b"\n".join(line for line in output.splitlines() if b'"seconds"' not in line)

    assert told(named) == told(of_file.stdout)
    assert of_pipe.returncode == of_file.returncode
