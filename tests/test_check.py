"""The gate for CI: labels, scores, formats, making a case of a log."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from diagnose.cli.check import check

LOG = "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line 1, in f\n[rank1]: KeyError: 'x'\n"
LABEL = "expect:\n  category: python-error\n  root_lines: [3]\n  first_rank: 1\n  exit_code: null\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/001-right.log").write_text(LOG)
    (tmp_path / "cases/001-right.yaml").write_text(LABEL)
    (tmp_path / "cases/002-wrong.log").write_text(LOG)
    (tmp_path / "cases/002-wrong.yaml").write_text(LABEL.replace("first_rank: 1", "first_rank: 2"))
    return tmp_path / "cases"


def run(*args: object) -> tuple[int, str]:
    done = CliRunner().invoke(check, [str(arg) for arg in args])
    return done.exit_code, done.output


def test_text_names_the_wrong_fields_and_the_figures(folder: Path) -> None:
    status, text = run(folder, "-v")
    assert status == 1
    assert "cases/002-wrong: wrong: rank" in text
    assert "expected ('python-error', [3], 2" in text
    assert "1/2 50%" in text


def test_all_right_is_status_0(folder: Path) -> None:
    (folder / "002-wrong.yaml").unlink()
    assert run(folder)[0] == 0


def test_json_lists_every_case(folder: Path) -> None:
    rows = json.loads(run(folder, "--format", "json")[1])
    assert [(row["case"], row["wrong"]) for row in rows] == [("cases/001-right", []), ("cases/002-wrong", ["rank"])]


def test_junit_has_a_test_case_for_each_log(folder: Path) -> None:
    suite = ElementTree.fromstring(run(folder, "--format", "junit")[1].split("\n", 1)[1])
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in suite] == [False, True]


def test_github_annotates_the_line(folder: Path) -> None:
    text = run(folder, "--format", "github")[1]
    assert text.startswith("::error file=")
    assert "002-wrong.log,line=3::wrong: rank" in text
    assert text.count("\n") == 1


def test_a_null_that_is_claimed_is_a_false_claim(folder: Path) -> None:
    (folder / "002-wrong.yaml").write_text(LABEL.replace("first_rank: 1", "first_rank: null"))
    assert "002-wrong: wrong: false-claim" in run(folder)[1]


def test_add_writes_a_label_once(folder: Path) -> None:
    (folder / "003-new.log").write_text(LOG)
    assert "written" in run("--add", folder / "003-new.log")[1]
    label = (folder / "003-new.yaml").read_text()
    assert 'category: "python-error"' in label
    (folder / "003-new.yaml").write_text("mine")
    assert "left as it is" in run("--add", folder / "003-new.log")[1]
    assert (folder / "003-new.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("expect: [", "not valid YAML"),
        ("other: 1\n", "a mapping with at least a category"),
        ("expect:\n  category: data\n  root_lines: [x]\n", "002-wrong.yaml:1: expect: invalid literal"),
    ],
)
def test_an_unusable_label_is_told_with_its_file(folder: Path, label: str, message: str) -> None:
    (folder / "002-wrong.yaml").write_text(label)
    status, text = run(folder)
    assert status == 2
    assert message in text


def test_a_folder_without_cases_is_told(tmp_path: Path) -> None:
    status, text = run(tmp_path)
    assert status == 2
    assert "no labelled logs" in text
