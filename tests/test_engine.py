"""Engines differ in speed, never in result."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from conftest import ROOT

from diagnose.diagnosis import diagnose
from diagnose.scan import Engine, StandardEngine, choose_engine
from diagnose.signatures import Catalogue, Literal

LOGS = sorted(ROOT.glob("fixtures/*/*.log"))


NAMES = ("hyperscan", "ahocorasick")


def engine(name: str, literals: Sequence[Literal], monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("SLURM_DOCTOR_ENGINE", name)
    try:
        return choose_engine(literals)
    except ValueError:
        pytest.skip(f"no {name} here")


@pytest.mark.parametrize("name", NAMES)
def test_engines_agree_on_every_fixture(name: str, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = engine(name, catalogue.literals, monkeypatch), StandardEngine(catalogue.literals)
    assert fast.name == name
    for log in LOGS:
        data = log.read_bytes()
        assert fast.scan(data) == slow.scan(data), log


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("name", NAMES)
def test_engines_agree_on_random_text(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    letters = b"abAB.*\\\n\0\xff"
    words = {bytes(chance.choices(letters, k=chance.randint(1, 4))) for _ in range(12)}
    literals = [
        Literal(word.lower() if index % 3 == 0 else word, index % 3 == 0, (("x", 0),))
        for index, word in enumerate(sorted(words))
    ]
    text = bytes(chance.choices(letters, k=400))
    assert engine(name, literals, monkeypatch).scan(text) == StandardEngine(literals).scan(text)


def test_the_environment_names_the_engine(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_DOCTOR_ENGINE", "standard")
    assert diagnose(LOGS[0], catalogue=catalogue).stats.engine == "standard"
    monkeypatch.setenv("SLURM_DOCTOR_ENGINE", "steam")
    with pytest.raises(ValueError, match="SLURM_DOCTOR_ENGINE=steam"):
        diagnose(LOGS[0], catalogue=catalogue)
