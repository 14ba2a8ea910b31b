"""rules list, show, new, schema and test, as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from conftest import ROOT
from test_cli import doctor
from test_signatures import GOOD

from diagnose.signatures import Catalogue
from diagnose.signatures.json_schema import rule_schema
from diagnose.signatures.patterns import search
from diagnose.signatures.scaffold import pattern_of
from diagnose.signatures.yaml_text import Document, parse_yaml


def listed(*args: str) -> list[str]:
    return [line.split()[0] for line in doctor("rules", "list", *args).stdout.decode().splitlines()]


def test_list_knows_every_signature(catalogue: Catalogue) -> None:
    assert listed() == list(catalogue.signatures)


def test_list_filters_by_category_role_and_words(catalogue: Catalogue) -> None:
    found = listed("--category", "port-conflict", "--role", "cause", "EADDRINUSE")
    assert "address-in-use" in found
    assert {(catalogue[name].category, catalogue[name].role) for name in found} == {("port-conflict", "cause")}
    assert "nvrm-xid" in listed("nvrm: XID")
    assert set(listed("--role", "benign", "nccl")) < set(listed("nccl"))


def test_list_as_json_is_for_programs(catalogue: Catalogue) -> None:
    rows = json.loads(doctor("rules", "list", "--format", "json", "-c", "storage").stdout)
    assert {row["category"] for row in rows} == {"storage"}
    assert set(rows[0]) == {"id", "title", "category", "role", "action", "transient", "references", "file"}
    assert all((ROOT / row["file"]).is_file() for row in rows)


def test_list_of_nothing_has_status_1_and_a_wrong_category_is_a_usage_error() -> None:
    done = doctor("rules", "list", "no such words anywhere")
    assert (done.returncode, done.stdout) == (1, b"")
    assert doctor("rules", "list", "--format", "json", "no such words").stdout == b"[]\n"
    done = doctor("rules", "list", "-c", "storrage")
    assert done.returncode == 2
    assert b"did you mean storage?" in done.stderr


def test_show_is_the_page_that_a_person_reads() -> None:
    text = doctor("rules", "show", "nccl-error").stdout.decode()
    for part in ("Signature nccl-error", "symptom", "nccl-setup", "Why", "What to do", "May be caused by", "Less exact than",
                 "nccl_results.yaml", "Examples", "Looks alike", "References", "rules/nccl/nccl-error.yaml"):  # fmt: skip
        assert part in text, part


def test_show_makes_control_characters_of_examples_harmless(tmp_path: Path) -> None:
    text = GOOD.replace("{log: the thing pump broke,", '{log: "\\e[31mthe thing pump broke\\e]0;x\\a",')
    (tmp_path / "thing-broke.yaml").write_text(text)
    shown = doctor("rules", "show", "--rules", tmp_path, "thing-broke").stdout
    assert b"the thing pump broke" in shown
    assert b"\x1b" not in shown
    assert b"\x07" not in shown


def test_show_of_an_unknown_id_suggests_others() -> None:
    done = doctor("rules", "show", "adress-in-use")
    assert done.returncode == 2
    assert b"did you mean address-in-use" in done.stderr


def test_test_of_an_unknown_id_suggests_others() -> None:
    done = doctor("rules", "test", "--only", "adress-in-use")
    assert done.returncode == 2
    assert b"did you mean address-in-use" in done.stderr


LINE = "[rank3]: 2026-01-01 03:04:05,123 - ERROR - Pump 3 failed (pid 4711) on node-04: cannot open /data/x/train.idx from 10.0.0.3:29500 after 3.5s at 0xdeadbeef, exit code 7"  # fmt: skip


def fill_in(path: Path) -> None:
    text = (
        path.read_text()
        .replace("category: FILL IN", "category: storage")
        .replace("FILL IN: ", "")
        .replace("{name}", "it")
    )
    path.write_text(text)


def test_a_new_rule_says_what_is_to_be_filled_in_and_then_works(tmp_path: Path) -> None:
    done = doctor("rules", "new", "--rules", tmp_path, "pump-failed", LINE)
    assert (done.returncode, done.stderr) == (0, b"")
    told = [line.split(": ")[1] for line in done.stdout.decode().splitlines() if line.startswith("  line ")]
    assert told == ["title", "category", "why", "fix[0].do", "near_misses[0]"]
    failing = doctor("rules", "test", "--only", "pump-failed", tmp_path)
    assert failing.returncode == 1
    assert failing.stderr.count(b"is still to be filled in") == 5 == len(failing.stderr.splitlines())
    fill_in(tmp_path / "pump-failed.yaml")
    passing = doctor("rules", "test", "--only", "pump-failed", tmp_path)
    assert (passing.returncode, passing.stdout, passing.stderr) == (0, b"1 signatures, 0 faults\n", b"")


def test_what_changes_from_run_to_run_becomes_captures(tmp_path: Path) -> None:
    doctor("rules", "new", "--rules", tmp_path, "pump-failed", LINE)
    document = parse_yaml((tmp_path / "pump-failed.yaml").read_text(), Document("x"))
    (example,) = document.value["examples"]
    assert example["log"] == LINE
    assert example["captures"] == {
        "number": "3", "pid": "4711", "node": "node-04", "path": "/data/x/train.idx", "host": "10.0.0.3", "port": "29500",
        "number_2": "3.5", "address": "0xdeadbeef", "exit_code": "7",
    }  # fmt: skip
    other = (
        LINE.replace("4711", "9")
        .replace("node-04", "node-17")
        .replace("/data/x/train.idx", "/y/z")
        .replace("0xdead", "0x12")
    )
    assert search(document.value["match"][0], other.encode()) is not None
    assert "2026" not in document.value["match"][0]


@pytest.mark.parametrize(
    "line",
    [
        "odd \x1b[31mcolour\x1b[0m and \x07 bell", "weird {braces} [brackets] (x|y)* \\d+ ^$ 'quote' \"two\"", "key: value # no comment",
        "- a list", "--an-option of 3", "ünïcödé 段错误 happened", "yes", "tab\there and there", "  leading blanks", "x" * 5000,
        "version 1.2.3-rc4 of v2.0 and 12.8", "bytes \udcff\udcfe that are no utf-8", "RuntimeError: 7 went wrong", "%s %d {0} {who}",
        "[fe80::1:2:3:4]:29500 refused", "a\u2028b line separator", "step=100/2000 loss=nan",
    ],
)  # fmt: skip
def test_whatever_is_pasted_gives_a_rule_that_works(line: str, tmp_path: Path) -> None:
    done = doctor("rules", "new", "--rules", tmp_path, "odd-thing", "--", line)
    if line == "yes":
        assert done.returncode == 2
        assert b"no pattern can be made of that line" in done.stderr
        return
    assert (done.returncode, done.stderr) == (0, b"")
    fill_in(tmp_path / "odd-thing.yaml")
    done = doctor("rules", "test", "--only", "odd-thing", tmp_path)
    assert [fault for fault in done.stderr.splitlines() if b"near_misses" not in fault] == []


def test_a_pasted_traceback_counts_by_its_last_line(tmp_path: Path) -> None:
    pasted = b'Traceback (most recent call last):\n  File "x.py", line 1, in f\nPumpError: pump 7 broke\n'
    assert doctor("rules", "new", "--rules", tmp_path, "pump-error", "-", stdin=pasted).returncode == 0
    document = parse_yaml((tmp_path / "pump-error.yaml").read_text(), Document("x"))
    assert document.value["match"] == [r"PumpError: pump (?P<number>\d+) broke"]
    assert document.value["examples"][0]["log"].splitlines() == pasted.decode().splitlines()


def test_a_new_rule_never_overwrites_and_refuses_bad_ids(tmp_path: Path) -> None:
    (tmp_path / "pump-failed.yaml").write_text("mine")
    done = doctor("rules", "new", "--rules", tmp_path, "pump-failed", LINE)
    assert done.returncode == 2
    assert b"is there already, left as it is" in done.stderr
    assert (tmp_path / "pump-failed.yaml").read_text() == "mine"
    assert b"lower-case words" in doctor("rules", "new", "--rules", tmp_path, "../Pump", LINE).stderr
    assert b"the line is empty" in doctor("rules", "new", "--rules", tmp_path, "pump", " ").stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pump-failed.yaml"]


def test_a_new_rule_without_a_line_says_that_one_is_missing(tmp_path: Path) -> None:
    done = doctor("rules", "new", "--rules", tmp_path, "pump")
    assert b"replace the pattern and the example" in done.stdout


def test_a_pattern_keeps_versions_and_names_known_numbers() -> None:
    assert pattern_of("rank 3 of v1.2.3: port 29500 (step=7)") == (
        r"rank (?P<rank>\d+) of v1\.2\.3: port (?P<port>\d+) \(step=(?P<step>\d+)\)"
    )


class Yaml12(yaml.SafeLoader):
    """The scalars of YAML 1.2, as editors read them: `on` and `yes` are words."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith("bool")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def as_an_editor_reads(text: str) -> object:
    return yaml.load(text, Yaml12)


def test_the_schema_accepts_every_shipped_rule_as_an_editor_reads_it() -> None:
    validator = jsonschema.Draft202012Validator(rule_schema())
    files = [path for path in sorted((ROOT / "rules").rglob("*.yaml")) if path.parent.name != "tables"]
    for path in files[::7]:
        for value in (as_an_editor_reads(path.read_text()), parse_yaml(path.read_text(), Document("x")).value):
            assert [error.message for error in validator.iter_errors(value)] == [], path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("role: cause", "role: reason"), ("role: cause", "roel: cause"), ("schema: 1", "schema: 2"), ("why: Because.\n", ""),
        ("id: thing-broke", "id: Thing Broke"), ("near_misses:\n  - the thing is fine\n", "near_misses: []\n"),
        ("near_misses:\n  - the thing is fine\n", ""), ("fix:\n  - {do: Mend it.}\n", ""), ("{do: Mend it.}", "{do: Mend it., when: {place: y}}"),
        ("match:\n  - 'the thing (?P<what>\\w+) broke'\n", ""), ("match:", "exception: {frame: x}\nmatch:"), ("log: the thing pump broke, ", ""),
    ],
)  # fmt: skip
def test_the_schema_refuses_what_the_loader_refuses(old: str, new: str) -> None:
    validator = jsonschema.Draft202012Validator(rule_schema())
    assert validator.is_valid(as_an_editor_reads(GOOD))
    assert old in GOOD
    assert not validator.is_valid(as_an_editor_reads(GOOD.replace(old, new)))


def test_the_schema_knows_how_to_silence_and_is_printed() -> None:
    schema = json.loads(doctor("rules", "schema").stdout)
    assert schema == json.loads(json.dumps(rule_schema()))
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"id": "nccl-error", "silence": "yes"})
    assert not validator.is_valid({"id": "nccl-error", "silence": "no"})
