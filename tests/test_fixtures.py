"""Every labelled log is diagnosed. What is not right yet stands in expected_failures.yaml, which may only shrink."""

from __future__ import annotations

import jsonschema
import msgspec
import pytest
from conftest import ROOT

from diagnose.check import Outcome, count_figures, find_cases, run_case
from diagnose.report import json_report, json_schema
from diagnose.signatures import Catalogue
from diagnose.signatures.yaml_text import read_yaml

CASES = find_cases([ROOT / "fixtures"])
EXPECTED_FAILURES: dict[str, list[str]] = read_yaml(ROOT / "tests" / "expected_failures.yaml").value or {}


@pytest.fixture(scope="module")
def outcomes(catalogue: Catalogue) -> dict[str, Outcome]:
    return {case.name: run_case(case, catalogue) for case in CASES}


def test_the_fixtures_are_there() -> None:
    assert len(CASES) == 208


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_each_fixture_is_right_or_a_known_failure(name: str, outcomes: dict[str, Outcome]) -> None:
    wrong = outcomes[name].wrong
    expected = EXPECTED_FAILURES.get(name, [])
    assert set(wrong) <= set(expected), f"newly wrong: {sorted(set(wrong) - set(expected))}"
    assert set(expected) <= set(wrong), f"has become right, take it off the list: {sorted(set(expected) - set(wrong))}"


def test_no_expected_failure_names_a_fixture_that_is_not_there() -> None:
    assert set(EXPECTED_FAILURES) <= {case.name for case in CASES}


def test_no_healthy_fixture_is_called_failed(outcomes: dict[str, Outcome]) -> None:
    healthy = [outcome for outcome in outcomes.values() if outcome.case.expect["category"] == "none"]
    assert healthy
    assert [outcome.case.name for outcome in healthy if outcome.diagnosis.verdict == "failed"] == []


def test_enough_causes_are_found(outcomes: dict[str, Outcome]) -> None:
    figures = count_figures(outcomes.values())
    assert figures.right["category"] / figures.of["category"] >= 0.70
    assert figures.right["line"] / figures.of["line"] >= 0.65


def test_the_json_of_every_fixture_is_valid(outcomes: dict[str, Outcome]) -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    for name, outcome in outcomes.items():
        errors = list(validator.iter_errors(msgspec.json.decode(json_report([outcome.diagnosis]))))
        assert not errors, f"{name}: {errors[0].message}"
