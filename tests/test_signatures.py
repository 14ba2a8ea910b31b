"""The shipped rules keep their promises, and a faulty rule gets an exact message."""

from __future__ import annotations

import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from diagnose.cli.rules_test import READ_BYTES
from diagnose.events import recognise_samples
from diagnose.scan import choose_engine
from diagnose.signatures import Catalogue, load_catalogue
from diagnose.signatures.compiler import literals_of
from diagnose.signatures.load import check_signature
from diagnose.signatures.selftest import self_test
from diagnose.signatures.tables import Tables
from diagnose.signatures.yaml_text import Document, parse_yaml
from diagnose.verdict.wording import fill, fill_command

GOOD = """\
schema: 1
id: thing-broke
title: 'The thing broke[ on {node}]'
category: storage
role: cause
match:
  - 'the thing (?P<what>\\w+) broke'
why: Because.
fix:
  - {do: Mend it.}
examples:
  - {log: the thing pump broke, captures: {what: pump}}
near_misses:
  - the thing is fine
"""


def faults_of(text: str) -> list[str]:
    document = parse_yaml(text, Document("rules/x/thing-broke.yaml"))
    check_signature(document, "thing-broke", Tables({"categories.yaml": {"storage": {}, "data": {}}}))
    return [str(fault) for fault in sorted(document.faults)]


def test_the_shipped_rules_load_without_a_fault(catalogue: Catalogue) -> None:
    assert [str(fault) for fault in catalogue.faults] == []


def test_every_example_matches_and_no_near_miss_does(catalogue: Catalogue) -> None:
    recognise = partial(recognise_samples, catalogue=catalogue, engine=choose_engine(catalogue.literals, READ_BYTES))
    assert [str(fault) for fault in self_test(catalogue, recognise)] == []


def test_every_marker_row_matches_its_example_only(catalogue: Catalogue) -> None:
    for marker in catalogue.markers.values():
        assert literals_of(marker.pattern), marker.id
        assert marker.found_in(marker.row["example"].encode()) is not None, marker.id
        if "near_miss" in marker.row:
            assert marker.found_in(marker.row["near_miss"].encode()) is None, marker.id


def test_no_text_of_a_rule_prints_a_placeholder(catalogue: Catalogue) -> None:
    for signature in catalogue.signatures.values():
        for text in (signature.title, signature.why, *(step.do for step in signature.fix), *signature.next_time):
            assert not re.search(r"\{\w+\}", fill(text, {})), signature.id


def test_every_command_of_a_rule_is_shell(catalogue: Catalogue) -> None:
    commands = []
    for signature in catalogue.signatures.values():
        for step in signature.fix:
            names = re.findall(r"\{(\w+)\}", step.run or "")
            filled = fill_command(step.run, dict.fromkeys(names, "x; rm -rf '$HOME'"))
            if filled:
                commands.append(filled)
    for table in ("exit_codes.yaml", "xid.yaml", "sxid.yaml", "ib_status.yaml"):
        for row in catalogue.tables.by_file[table].values():
            commands += [step["run"] for step in row.get("fix", []) if step.get("run")]
    for command in commands:
        done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"


def test_ids_and_categories_share_no_name(catalogue: Catalogue) -> None:
    assert not set(catalogue.signatures) & set(catalogue.tables.categories)


def test_the_xid_table_is_complete(catalogue: Catalogue) -> None:
    codes = {int(code) for code in catalogue.tables.by_file["xid.yaml"]}
    assert set(range(1, 173)) <= codes


def test_a_good_rule_has_no_fault() -> None:
    assert faults_of(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("category: storage", "category: sorrow", "rules/x/thing-broke.yaml:4: category: 'sorrow' is not in"),
        ("role: cause", "role: reason", "rules/x/thing-broke.yaml:5: role:"),
        ("role: cause", "roel: cause", "rules/x/thing-broke.yaml:5: roel: unknown key"),
        ("broke'\n", "(broke'\n", "rules/x/thing-broke.yaml:7: match[0]: does not compile"),
        ("the thing (?P<what>\\w+) broke'", "\\w+ (?P<what>\\d+)'", "rules/x/thing-broke.yaml:7: match[0]: no text of at least"),
        ("why: Because.", "why: Because.\nwhy: Twice.", "rules/x/thing-broke.yaml:9: why: stands here a second time"),
        ("why: Because.\n", "", "rules/x/thing-broke.yaml:1: lacks the key 'why'"),
        ("id: thing-broke", "id: other-thing", "rules/x/thing-broke.yaml:2: id: must be the file's name"),
        ("near_misses:\n  - the thing is fine\n", "", "near_misses: at least one line"),
        ("fix:\n  - {do: Mend it.}\n", "", "fix: a cause says what to do"),
        ("schema: 1", "schema: 2", "rules/x/thing-broke.yaml:1: schema:"),
        ("{do: Mend it.}", "{do: Mend it., when: {saw: x, place: y}}", "rules/x/thing-broke.yaml:10: fix[0]"),
        ("why: Because.", "why: [unclosed", "not valid YAML"),
    ],
)  # fmt: skip
def test_a_faulty_rule_is_told_with_file_line_and_key(old: str, new: str, expected: str) -> None:
    faults = faults_of(GOOD.replace(old, new))
    assert any(expected in fault for fault in faults), faults


def test_all_faults_of_a_file_are_told_at_once() -> None:
    text = GOOD.replace("category: storage", "category: sorrow").replace("why: Because.", "what: Because.")
    assert len(faults_of(text)) >= 2


def test_scalars_are_text() -> None:
    document = parse_yaml("a: yes\nb: 1:0\nc: 12345_7\nd: null\n", Document("x"))
    assert document.value == {"a": "yes", "b": "1:0", "c": "12345_7", "d": "null"}


def test_a_folder_adds_replaces_and_silences_by_id(tmp_path: Path) -> None:
    (tmp_path / "thing-broke.yaml").write_text(GOOD)
    (tmp_path / "address-in-use.yaml").write_text(GOOD.replace("id: thing-broke", "id: address-in-use"))
    (tmp_path / "slurm-oom-kill.yaml").write_text("id: slurm-oom-kill\nsilence: yes\n")
    site = load_catalogue([tmp_path])
    assert "thing-broke" in site.signatures
    assert site["address-in-use"].category == "storage"
    assert "slurm-oom-kill" not in site.signatures
    assert site.faults == []


def test_a_faulty_site_rule_is_skipped_and_told(tmp_path: Path) -> None:
    (tmp_path / "thing-broke.yaml").write_text(GOOD.replace("role: cause", "role: reason"))
    site = load_catalogue([tmp_path])
    assert "thing-broke" not in site.signatures
    assert len(site.faults) == 1
