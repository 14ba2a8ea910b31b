"""Rules of a site: added, replaced, silenced; each way to get it wrong has one exact message and ends no diagnosis."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_signatures import GOOD

from diagnose import Options, diagnose
from diagnose.signatures import Catalogue, load_catalogue

LOG = "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB\n"


def faults_of(folder: Path) -> list[str]:
    return [str(fault) for fault in load_catalogue([folder]).faults]


def write(folder: Path, text: str, name: str = "thing-broke") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.parametrize("way", ["option", "environment", "user", "site"])
def test_rules_come_from_each_place(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "slurm-doctor/rules", GOOD)
    if way == "environment":
        monkeypatch.setenv("SLURM_DOCTOR_RULES", f"/no/such/folder:{folder}")
    elif way == "user":
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    elif way == "site":
        monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path))
    catalogue = load_catalogue([folder] if way == "option" else [])
    assert catalogue["thing-broke"].category == "storage"
    assert catalogue.files["thing-broke"] == "rules/thing-broke.yaml"


def test_a_later_folder_wins(tmp_path: Path) -> None:
    one = write(tmp_path / "one", GOOD)
    two = write(tmp_path / "two", GOOD.replace("storage", "data"))
    assert load_catalogue([one, two])["thing-broke"].category == "data"
    assert load_catalogue([two, one])["thing-broke"].category == "storage"


def test_a_silenced_signature_is_not_used_and_may_come_back_later(tmp_path: Path) -> None:
    quiet = write(tmp_path / "quiet", "id: cuda-out-of-memory\nsilence: yes\n", "no-oom")
    log = tmp_path / "job.log"
    log.write_text(LOG)
    assert diagnose(log).signature == "cuda-out-of-memory"
    silenced = diagnose(log, Options(rules=[quiet]))
    assert silenced.signature != "cuda-out-of-memory"
    assert silenced.notes == []
    again = write(tmp_path / "again", GOOD.replace("id: thing-broke", "id: cuda-out-of-memory"), "cuda-out-of-memory")
    assert load_catalogue([quiet, again])["cuda-out-of-memory"].category == "storage"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD.replace("why: Because.", "why: [unclosed"), "site/thing-broke.yaml:9: not valid YAML:"),
        (GOOD.replace("role: cause", "roel: cause"), "site/thing-broke.yaml:5: roel: unknown key; known are action,"),
        (GOOD.replace("role: cause", "role: cause\nrole: exit"), "site/thing-broke.yaml:6: role: stands here a second time"),
        (GOOD.replace("category: storage", "category: sorrow"), "site/thing-broke.yaml:4: category: 'sorrow' is not in rules/tables/categories.yaml"),
        (GOOD.replace("  - {log: the thing pump broke, captures: {what: pump}}\n", "  []\n"), "site/thing-broke.yaml:11: examples: at least one"),
        (GOOD.replace("near_misses:\n  - the thing is fine\n", ""), "site/thing-broke.yaml:1: near_misses: at least one"),
        (GOOD.replace("broke'\n", "(broke'\n"), "site/thing-broke.yaml:7: match[0]: does not compile: missing ), unterminated subpattern"),
        (GOOD.replace("the thing (?P<what>\\w+) broke'", "\\w+ (?P<what>\\d+)'"), "site/thing-broke.yaml:7: match[0]: no text of at least 4 characters"),
        (GOOD + "table: {file: xid.yaml}\n", "site/thing-broke.yaml:15: table: Object missing required field `key`"),
        (GOOD + "table: {file: xid.yaml, key: code}\n", "site/thing-broke.yaml:15: table.key: no pattern has a capture of the name 'code'"),
        (GOOD + "table: {file: ours.yaml, key: what}\n", "site/thing-broke.yaml:15: table.file: no such table: rules/tables/ours.yaml"),
        (GOOD.replace("fix:\n", "fix: &f\n").replace("{do: Mend it.}", "*f"), "site/thing-broke.yaml:9: fix[0]: aliases (*name) are not read"),
        (GOOD + f"emits: {'[' * 50}{']' * 50}\n", "nested more than 32 deep"),
        (GOOD + "? [a]\n: b\n", "site/thing-broke.yaml:15: a key must be a word"),
        (GOOD.replace("why: Because.", "why: 'FILL IN: what it means'"), "site/thing-broke.yaml:8: why: is still to be filled in"),
        ("", "site/thing-broke.yaml:1: expected a mapping with schema, id, title"),
        ("id: no-such\nsilence: yes\n", "site/thing-broke.yaml:1: id: there is no signature 'no-such' to silence"),
        ("id: nccl-error\nsilence: no\n", "site/thing-broke.yaml:2: silence: a file that silences holds `id` and `silence: yes`"),
        (GOOD + "silence: yes\n", "site/thing-broke.yaml:15: silence: a file that silences holds"),
        (GOOD + "refines: [no-such]\n", "names 'no-such', which is no signature and no category"),
    ],
)  # fmt: skip
def test_each_fault_is_told_where_it_is_and_ends_no_diagnosis(text: str, expected: str, tmp_path: Path) -> None:
    site = write(tmp_path / "site", text)
    faults = faults_of(site)
    assert any(expected in fault for fault in faults), faults
    log = tmp_path / "job.log"
    log.write_text(LOG)
    answer = diagnose(log, Options(rules=[site]))
    assert answer.category == "gpu-memory"
    assert any(expected in note for note in answer.notes)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("categories.yaml", "ours: {title: Ours}\n", "site/tables/categories.yaml:1: ours: lacks the key 'meaning'"),
        ("progress.yaml", "ours: {example: step 1}\n", "site/tables/progress.yaml:1: ours: lacks the key 'pattern'"),
        ("progress.yaml", "ours: {pattern: 'unsere (Schritte'}\n", "ours.pattern: does not compile"),
        (
            "xid.yaml",
            "79: {title: Ours, category: sorrow}\n",
            "site/tables/xid.yaml:1: 79.category: 'sorrow' is not in",
        ),
        ("xid.yaml", "79: {title: Ours, fix: Mend it}\n", "79.fix: Expected `array`, got `str`"),
        ("xid.yaml", "79: [Ours]\n", "site/tables/xid.yaml:1: 79: expected a mapping"),
        ("xid.yaml", "- 79\n", "site/tables/xid.yaml:1: expected a mapping of keys to rows"),
    ],
)
def test_a_faulty_row_of_a_table_is_left_out_and_told(file: str, text: str, expected: str, tmp_path: Path) -> None:
    tables = tmp_path / "site/tables"
    tables.mkdir(parents=True)
    (tables / file).write_text(text)
    faults = faults_of(tmp_path / "site")
    assert any(expected in fault for fault in faults), faults
    log = tmp_path / "job.log"
    log.write_text("NVRM: Xid (PCI:0000:05:00): 79, pid=1, name=python, GPU has fallen off the bus.\n" + LOG)
    assert diagnose(log, Options(rules=[tmp_path / "site"])).category == "gpu-hardware"


def test_a_site_may_have_a_category_and_rows_of_its_own(tmp_path: Path) -> None:
    tables = tmp_path / "site/tables"
    tables.mkdir(parents=True)
    (tables / "categories.yaml").write_text("cooling: {title: Cooling, meaning: Too hot., action: contact-admin}\n")
    (tables / "xid.yaml").write_text("999: {title: Our own Xid, category: cooling}\n")
    write(tmp_path / "site", GOOD.replace("category: storage", "category: cooling"))
    catalogue = load_catalogue([tmp_path / "site"])
    assert catalogue.faults == []
    assert catalogue["thing-broke"].category == "cooling"
    assert "79" in catalogue.tables.by_file["xid.yaml"]
    assert catalogue.tables.by_file["xid.yaml"]["999"]["title"] == "Our own Xid"


FROM_FILE = GOOD.replace("log: the thing pump broke", "file: pump.log")


def test_an_example_may_lie_in_a_file_beside_the_rule(tmp_path: Path) -> None:
    site = write(tmp_path / "site", FROM_FILE)
    (site / "pump.log").write_bytes(b"before\n\xffthe thing pump broke\n")
    catalogue = load_catalogue([site])
    assert catalogue.faults == []
    (example,) = catalogue["thing-broke"].examples
    assert (example.file, example.log) == ("pump.log", "before\n\ufffdthe thing pump broke\n")
    (site / "pump.log").write_text("another text\n")
    assert load_catalogue([site])["thing-broke"].examples[0].log == "another text\n"


@pytest.mark.parametrize(
    ("example", "content", "expected"),
    [
        ("file: pump.log", None, "examples[0].file: pump.log: No such file or directory; it is looked for beside the rule, in "),
        ("file: pump.log", "", "examples[0].file: pump.log: is empty"),
        ("file: pump.log", "x" * 300_000, "examples[0].file: pump.log: has more than 262144 bytes; cut it down"),
        ("file: ../pump.log", "x", "examples[0].file: '../pump.log': expected a .log or .txt file in the folder of the rule"),
        ("file: pump.gz", "x", "examples[0].file: 'pump.gz': expected a .log or .txt file"),
        ("file: pump.log, log: x", "x", "examples[0]: needs either `log`, the text itself, or `file`"),
        ("captures: {}", None, "examples[0]: needs either `log`"),
    ],
)  # fmt: skip
def test_a_faulty_file_of_an_example_is_told(example: str, content: str | None, expected: str, tmp_path: Path) -> None:
    site = write(tmp_path / "site", GOOD.replace("log: the thing pump broke, captures: {what: pump}", example))
    if content is not None:
        (site / "pump.log").write_text(content)
    faults = faults_of(site)
    assert any(expected in fault for fault in faults), faults


def test_the_shipped_rules_alone_have_no_fault(catalogue: Catalogue) -> None:
    assert catalogue.faults == []
