"""What `rules test` finds: examples that do not match, in whatever form a launcher gives them, and stolen ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from diagnose.events import recognise_samples
from diagnose.model import Example, Signature
from diagnose.scan import StandardEngine
from diagnose.signatures import Catalogue
from diagnose.signatures.compiler import compile_rules
from diagnose.signatures.folders import shipped_rules
from diagnose.signatures.selftest import Found, self_test
from diagnose.signatures.variants import PREFIXES, cut_in_two, forms

RULE = """\
schema: 1
id: {id}
title: The pump broke
category: storage
role: {role}
match:
  - '{match}'
refines: {refines}
why: Because.
fix:
  - {{do: Mend it.}}
examples:
  - {{log: '{log}', captures: {captures}}}
near_misses:
  - 'the pump {near}'
"""


@pytest.fixture
def tested(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Write rules (keyword arguments of RULE) and return the faults that their self-test finds."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/categories.yaml").write_text((shipped_rules() / "tables/categories.yaml").read_text())

    def run(*rules: dict[str, str]) -> list[str]:
        for values in rules:
            values = {"role": "cause", "refines": "[]", "captures": "{}", "near": "did not, it broke down", **values}
            (tmp_path / f"{values['id']}.yaml").write_text(RULE.format_map(values))
        catalogue = Catalogue(compile_rules([tmp_path]))
        assert catalogue.faults == []
        recognise = partial(recognise_samples, catalogue=catalogue, engine=StandardEngine(catalogue.literals))
        return [str(fault).partition(".yaml:1: ")[2] for fault in self_test(catalogue, recognise)]

    return run


GOOD = {"id": "pump-broke", "match": r"the pump (?P<name>\w+) broke down", "log": "the pump nine broke down"}  # fmt: skip


def test_a_good_rule_has_no_fault(tested) -> None:  # type: ignore[no-untyped-def]
    assert tested(GOOD) == []


def test_a_pattern_that_forbids_what_stands_in_front_fails_behind_a_logger(tested) -> None:  # type: ignore[no-untyped-def]
    (fault,) = tested({**GOOD, "match": r"(?<!\] )the pump \w+ broke"})
    assert fault == "examples[0]: behind the head of a logger: does not match"


def test_a_capture_that_grows_behind_a_prefix_is_told(tested) -> None:  # type: ignore[no-untyped-def]
    faults = tested({**GOOD, "match": r"(?P<name>.*)the pump nine broke", "log": "old the pump nine broke", "captures": "{name: old}"})  # fmt: skip
    assert faults == [
        "examples[0]: behind the head of a logger: captures are {'name': '[2026-01-02 03:04:05,678] [train.py:77:main] old'}, expected {'name': 'old'}"
    ]


def test_wrong_captures_and_a_matching_near_miss_are_told(tested) -> None:  # type: ignore[no-untyped-def]
    faults = tested({**GOOD, "captures": "{name: ten}", "near": "ten broke down"})
    assert faults == [
        "examples[0]: captures are {'name': 'nine'}, expected {'name': 'ten'}",
        "near_misses[0]: matches, and must not",
    ]


def test_a_near_miss_that_shares_nothing_is_told(tested) -> None:  # type: ignore[no-untyped-def]
    (fault,) = tested({**GOOD, "match": r"Pumpe \w+ kaputt", "log": "Pumpe neun kaputt"})
    assert "shares no text" in fault


def test_an_example_that_a_general_signature_takes_away_is_told(tested) -> None:  # type: ignore[no-untyped-def]
    thief = {
        "id": "anything-broke",
        "match": r"(?<!it )\b\w+ broke down",
        "log": "she broke down",
        "near": "no  broke down",
    }
    assert tested(GOOD, thief) == []
    (fault,) = tested(GOOD, {**thief, "refines": "[pump-broke]"})
    assert fault == "examples[0]: does not match; these do: anything-broke"


def test_an_example_that_a_benign_signature_vetoes_is_told(tested) -> None:  # type: ignore[no-untyped-def]
    (fault,) = tested(GOOD, {"id": "noise", "role": "benign", "match": r"nine broke down", "log": "nine broke down"})
    assert fault == "examples[0]: does not match; these do: noise"


def test_every_form_of_an_example_is_tried() -> None:
    rule = signature(r"no space left on device")
    rule = msgspec.structs.replace(rule, examples=[Example("no space left on device\n")])
    catalogue = SimpleNamespace(signatures={"x": rule}, files={"x": "x.yaml"})

    def only_as_it_stands(samples: Sequence[bytes]) -> list[Found]:
        return [[("x", {})] if sample == b"no space left on device\n" else [] for sample in samples]

    faults = self_test(catalogue, only_as_it_stands)  # type: ignore[arg-type]
    assert [fault.text.partition(":")[0] for fault in faults] == [name for name, _ in forms()]


def test_there_are_at_least_twelve_prefixes_and_every_form_has_a_name_of_its_own() -> None:
    assert len(PREFIXES) >= 12
    names = [name for name, _ in forms()]
    assert len(names) == len(set(names)) == len(PREFIXES) + 6


def signature(match: str) -> Signature:
    return Signature("1", "x", "x", "storage", "cause", "x", match=[match])


def test_the_cut_goes_through_the_middle_of_the_longest_literal() -> None:
    made = cut_in_two(signature(r"disk \d+: no space left on device"), "writing\ndisk 3: no space left on device\n")
    assert made == b"0: writing\n0: disk 3: no space l\n0: eft on device\n"


def test_no_cut_where_a_half_says_it_too() -> None:
    assert cut_in_two(signature(r"out of memory"), "out of memory, yes, out of memory") is None
