"""explain: every spelling of a code, a state or a name leads to its meaning; unknown words to what is near."""

from __future__ import annotations

import json

import pytest
from test_cli import doctor

from diagnose.explain import find_readings, near_names, signature_page
from diagnose.explain.placeholders import generic, generic_command
from diagnose.signatures import Catalogue


@pytest.mark.parametrize(
    ("phrase", "what", "category"),
    [
        ("137", "exit code 137", "external-kill"),
        ("exit 127", "exit code 127", "command"),
        ("Exit code: 127", "exit code 127", "command"),
        ("exit_code=127", "exit code 127", "command"),
        ("exitcode: -9", "exit code -9", "external-kill"),
        ("9:0", "Slurm's ExitCode 9:0 (code:signal)", "external-kill"),
        ("0:9", "Slurm's ExitCode 0:9 (code:signal)", "external-kill"),
        ("0:125", "Slurm's ExitCode 0:125 (code:signal)", "host-memory"),
        ("1:0", "Slurm's ExitCode 1:0 (code:signal)", "unknown"),
        ("0:19", "Slurm's ExitCode 0:19 (code:signal)", None),
        ("-11", "exit code -11", "native-crash"),
        ("srun:2", "exit code 2 as srun reports it", "unknown"),
        ("42", "exit code 42", "unknown"),
        ("SIGKILL", "signal 9", "external-kill"),
        ("kill", "signal 9", "external-kill"),
        ("signal 9", "signal 9", "external-kill"),
        ("Segmentation fault", "signal 11", "native-crash"),
        ("xid 79", "Xid 79", "gpu-hardware"),
        ("Xid: 079", "Xid 79", "gpu-hardware"),
        ("sxid 20034", "SXid 20034", "gpu-hardware"),
        ("ib 12", "InfiniBand completion status 12", "network"),
        ("ncclSystemError", "NCCL result 2 (ncclSystemError)", "nccl-setup"),
        ("unhandled system error", "NCCL result 2 (ncclSystemError)", "nccl-setup"),
        ("nccl 2", "NCCL result 2 (ncclSystemError)", "nccl-setup"),
        ("errno 28", "errno 28 (ENOSPC)", "storage"),
        ("[Errno 28]", "errno 28 (ENOSPC)", "storage"),
        ("enospc", "errno 28 (ENOSPC)", "storage"),
        ("No space left on device", "errno 28 (ENOSPC)", "storage"),
        ("NODE_FAIL", "Slurm state NODE_FAIL", "node-failure"),
        ("nf", "Slurm state NODE_FAIL", "node-failure"),
        ("CANCELLED by 1000", "Slurm state CANCELLED", "cancelled"),
        ("CANCELLED+", "Slurm state CANCELLED", "cancelled"),
        ("NodeDown", "Slurm reason NodeDown (job ended)", "node-failure"),
        ("(AssocGrpGRES)", "Slurm reason AssocGrpGRES (job pending)", "scheduler"),
        ("ReqNodeNotAvail, UnavailableNodes:n[1-3]", "Slurm reason ReqNodeNotAvail (job pending)", None),
        ("gpu-memory", "category gpu-memory", "gpu-memory"),
        ("GPU memory", "category gpu-memory", "gpu-memory"),
        ("address-in-use", "signature address-in-use", "port-conflict"),
        ("signature address-in-use", "signature address-in-use", "port-conflict"),
    ],
)
def test_a_word_has_its_first_reading(phrase: str, what: str, category: str | None, catalogue: Catalogue) -> None:
    reading = find_readings(phrase, catalogue)[0]
    assert reading.what == what
    assert category in (None, reading.category)


def test_a_number_is_an_exit_code_first_and_all_else_that_it_may_be(catalogue: Catalogue) -> None:
    whats = [reading.what for reading in find_readings("9", catalogue)]
    assert whats == ["exit code 9", "signal 9", "errno 9 (EBADF)", "Xid 9", "InfiniBand completion status 9"]
    assert [reading.what for reading in find_readings("xid 9", catalogue)] == ["Xid 9"]


def test_one_word_of_two_tables_has_both_readings(catalogue: Catalogue) -> None:
    whats = [reading.what for reading in find_readings("OUT_OF_MEMORY", catalogue)]
    assert whats == ["Slurm state OUT_OF_MEMORY", "Slurm reason OutOfMemory (job ended)"]


def test_every_row_of_every_table_is_found_by_its_name(catalogue: Catalogue) -> None:
    tables = catalogue.tables.by_file
    phrases = [
        *catalogue.signatures,
        *catalogue.tables.categories,
        *tables["slurm_states.yaml"],
        *tables["slurm_reasons.yaml"],
    ]
    phrases += [f"{kind} {code}" for kind, file in (("xid", "xid"), ("sxid", "sxid"), ("ib", "ib_status"), ("errno", "errno"))
                for code in tables[f"{file}.yaml"]]  # fmt: skip
    phrases += [
        *tables["signals.yaml"],
        *tables["nccl_results.yaml"],
        *(row["name"] for row in tables["errno.yaml"].values()),
    ]
    phrases += [key for key in tables["exit_codes.yaml"] if key != "other"]
    for phrase in phrases:
        readings = find_readings(phrase, catalogue)
        assert readings, phrase
        for reading in readings:
            assert reading.title, phrase
            assert reading.why or reading.meaning or reading.what.startswith("errno"), phrase


@pytest.mark.parametrize(
    "phrase",
    [
        "xid 4711",
        "300",
        "-99",
        "9:999999",
        "0x1f",
        "99999999999999999999",
        "",
        "  ",
        "foo bar",
        "\x1b[31m",
        "²",
        "xid ²",
    ],
)
def test_what_nobody_knows_has_no_reading(phrase: str, catalogue: Catalogue) -> None:
    assert find_readings(phrase, catalogue) == []
    near_names(phrase, catalogue)


@pytest.mark.parametrize(
    ("phrase", "near"),
    [("OUT_OF_MEMRY", "OUT_OF_MEMORY"), ("adress-in-use", "address-in-use"), ("ENOSPCE", "ENOSPC"), ("nccl watchdog", "nccl-watchdog-timeout")],
)  # fmt: skip
def test_a_misspelt_word_leads_to_its_neighbours(phrase: str, near: str, catalogue: Catalogue) -> None:
    assert near in near_names(phrase, catalogue)


def test_unknown_words_give_status_2_and_suggestions() -> None:
    done = doctor("explain", "OUT_OF_MEMRY")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"slurm-doctor: nothing is known of 'OUT_OF_MEMRY'; near to it: OUT_OF_MEMORY")
    assert b"\x1b" not in doctor("explain", "\x1b[31mred").stderr
    assert b"Traceback" not in doctor("explain", "\udcff").stderr


@pytest.mark.parametrize(
    "phrase", [["137"], ["-11"], ["9"], ["xid", "79"], ["NODE_FAIL"], ["storage"], ["nccl-error"], ["ENOSPC"]]
)
def test_the_text_fits_into_80_columns_and_says_what_to_do(phrase: list[str]) -> None:
    done = doctor("explain", *phrase)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "What to do" in text
    assert "\n     $ " in text
    assert "{" not in text
    for line in text.splitlines():
        assert len(line) <= 80 or line.startswith(("     $ ", "  http"))


def test_json_has_the_same_facts() -> None:
    (reading,) = json.loads(doctor("explain", "--format", "json", "xid", "79").stdout)
    assert reading["what"] == "Xid 79"
    assert reading["category"] == "gpu-hardware"
    assert reading["title"] == "Xid 79: the GPU has fallen off the bus"
    assert {"do", "run", "when"} == set(reading["fix"][0])


def test_placeholders_become_words() -> None:
    assert generic("Xid {code}[ on GPU {pci}]") == "Xid CODE on GPU PCI"
    assert generic("Xid {code}[ on GPU {pci}]", {"code": "79"}) == "Xid 79"
    assert generic("Rank {rank} of {who} lost {peer}", {}) == "Rank N of a rank lost M"
    assert generic_command("ls {path} {{x}}") == "ls PATH {x}"
    assert generic_command(None) is None


def test_a_page_knows_what_explains_what(catalogue: Catalogue) -> None:
    page = signature_page("nccl-error", catalogue)
    assert "ib-completion-error" in page.refined_by
    assert "gpu-memory" in page.explained_by
    assert "nccl-error" in signature_page("ib-completion-error", catalogue).refines
    assert "terminate-passes-on-error" in page.explains
    assert "nccl-watchdog-timeout" in signature_page("cuda-out-of-memory", catalogue).explains_by_category
    assert page.file == "rules/nccl/nccl-error.yaml"
