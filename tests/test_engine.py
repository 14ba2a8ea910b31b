"""Engines differ in speed, never in result."""

from __future__ import annotations

import random

import pytest
from conftest import ROOT

from diagnose.diagnosis import diagnose
from diagnose.scan import StandardEngine, choose_engine
from diagnose.signatures import Catalogue, Literal

LOGS = sorted(ROOT.glob("fixtures/*/*.log"))


def test_engines_agree_on_every_fixture(catalogue: Catalogue) -> None:
    pytest.importorskip("ahocorasick_rs")
    fast, slow = choose_engine(catalogue.literals), StandardEngine(catalogue.literals)
    assert fast.name == "ahocorasick"
    for log in LOGS:
        data = log.read_bytes()
        assert fast.scan(data) == slow.scan(data), log


@pytest.mark.parametrize("seed", range(40))
def test_engines_agree_on_random_text(seed: int) -> None:
    pytest.importorskip("ahocorasick_rs")
    chance = random.Random(seed)
    letters = b"abAB\n\xff"
    words = {bytes(chance.choices(letters, k=chance.randint(1, 4))) for _ in range(12)}
    literals = [
        Literal(word.lower() if index % 3 == 0 else word, index % 3 == 0, ("x",))
        for index, word in enumerate(sorted(words))
    ]
    text = bytes(chance.choices(letters, k=400))
    assert choose_engine(literals).scan(text) == StandardEngine(literals).scan(text)


def test_the_environment_names_the_engine(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_DOCTOR_ENGINE", "standard")
    assert diagnose(LOGS[0], catalogue=catalogue).stats.engine == "standard"
    monkeypatch.setenv("SLURM_DOCTOR_ENGINE", "steam")
    with pytest.raises(ValueError, match="SLURM_DOCTOR_ENGINE=steam"):
        diagnose(LOGS[0], catalogue=catalogue)
