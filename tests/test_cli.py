"""The command as a user meets it: exit status, formats, bad input, hostile text."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT

FAILING = ROOT / "fixtures/slurm/018-rank7-thread-oom-then-nccl-timeouts-134.log"
HEALTHY = ROOT / "fixtures/real/106-ok-srun.log"
CUT_OFF = ROOT / "fixtures/real/102-nodefail-head.log"


COMMAND = [sys.executable, "-c", "from diagnose.cli.main import run; run()"]


def doctor(*args: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize(("log", "status"), [(HEALTHY, 0), (FAILING, 1), (CUT_OFF, 3)])
def test_exit_status_says_what_was_found(log: Path, status: int) -> None:
    assert doctor(log).returncode == status
    assert doctor("--exit-zero", log).returncode == 0


def test_the_report_names_cause_line_rank_node_exit_and_what_to_do() -> None:
    text = doctor(FAILING).stdout.decode()
    for part in ("gpu-memory", ":30", "rank 7", "node-05", "What to do", "Exit code", "line 181"):
        assert part in text
    assert (
        max(
            len(line)
            for line in text.splitlines()
            if not line.startswith("  >") and ".log:" not in line and "$ " not in line
        )
        <= 80
    )
    assert "\x1b" not in text


def test_colour_only_where_asked_for() -> None:
    assert b"\x1b[" in doctor("--color", "always", FAILING).stdout


def test_json_has_exactly_the_keys_of_schema_version_1() -> None:
    answer = json.loads(doctor("--format", "json", FAILING).stdout)
    assert list(answer) == [
        "schema_version", "tool", "verdict", "category", "signature", "title", "confidence", "confidence_reasons",
        "cause", "first_failure", "exit", "why", "fix", "next_time", "action", "transient", "exclude_nodes", "story",
        "cascade", "absent_ranks", "lagging_ranks", "alternatives", "job", "slurm", "timeline", "incidents", "notes", "stats",
    ]  # fmt: skip
    assert list(answer["cause"]) == ["file", "line", "text", "rank", "node", "time"]
    assert list(answer["first_failure"]) == ["rank", "local_rank", "node", "pid", "time", "exit_code", "signal"]
    assert list(answer["exit"]) == ["code", "signal", "meaning", "reporter", "file", "line"]


def test_several_logs_give_a_list_and_the_worst_status() -> None:
    done = doctor("--format", "json", HEALTHY, FAILING)
    assert [one["verdict"] for one in json.loads(done.stdout)] == ["ok", "failed"]
    assert done.returncode == 1


def test_quiet_is_one_line() -> None:
    assert doctor("-q", FAILING).stdout.count(b"\n") == 1


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    done = doctor("-o", tmp_path / "report.txt", FAILING)
    assert done.stdout == b""
    assert "rank 7" in (tmp_path / "report.txt").read_text()


def test_an_output_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    missing = tmp_path / "none/report.txt"
    done = doctor("-o", missing, FAILING)
    assert (done.returncode, done.stderr) == (2, f"slurm-doctor: {missing}: No such file or directory\n".encode())
    below_a_file = FAILING / "report.txt"
    done = doctor("-o", below_a_file, FAILING)
    assert (done.returncode, done.stderr) == (2, f"slurm-doctor: {below_a_file}: Not a directory\n".encode())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_an_output_that_fills_up_is_one_clear_line() -> None:
    done = doctor("-o", "/dev/full", FAILING)
    assert (done.returncode, done.stderr) == (2, b"slurm-doctor: /dev/full: No space left on device\n")


ENTRY = "import os, signal; {before}from diagnose.cli.entry import run; run()"


def test_an_interrupt_while_a_log_is_read_ends_with_130(tmp_path: Path) -> None:
    code = ENTRY.format(before="")
    running = subprocess.Popen(
        [sys.executable, "-c", code, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(1.5)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize(
    "module", ["click", "msgspec", "diagnose.signatures", "diagnose.diagnosis", "diagnose.cli.diagnose_logs"]
)
def test_an_interrupt_while_modules_are_loaded_ends_with_130(module: str) -> None:
    before = f"""
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""
    done = subprocess.run(
        [sys.executable, "-c", ENTRY.format(before=before), FAILING], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_an_interrupt_that_becomes_another_error_ends_with_130() -> None:
    code = """
import os, signal
from diagnose.cli.entry import Interruptible
with Interruptible():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except SystemExit:
        raise RuntimeError("wrapped")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_an_ignored_interrupt_stays_ignored() -> None:
    before = "signal.signal(signal.SIGINT, signal.SIG_IGN); os.kill(os.getpid(), signal.SIGINT); "
    done = subprocess.run(
        [sys.executable, "-c", ENTRY.format(before=before), FAILING], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")


def test_standard_input_and_gz_give_the_same_answer(tmp_path: Path) -> None:
    packed = tmp_path / "job.log.gz"
    packed.write_bytes(gzip.compress(FAILING.read_bytes()))
    answers = [
        json.loads(doctor("--format", "json", FAILING).stdout),
        json.loads(doctor("--format", "json", packed).stdout),
        json.loads(doctor("--format", "json", "-", stdin=FAILING.read_bytes()).stdout),
    ]
    assert len({(one["cause"]["line"], one["first_failure"]["rank"], one["category"]) for one in answers}) == 1


def test_a_missing_path_is_one_clear_line() -> None:
    done = doctor("/no/such.log")
    assert (done.returncode, done.stderr) == (2, b"slurm-doctor: /no/such.log: No such file or directory\n")


def test_an_empty_file_is_one_clear_line(tmp_path: Path) -> None:
    log = tmp_path / "empty.log"
    log.touch()
    done = doctor(log)
    assert (done.returncode, done.stderr) == (2, f"slurm-doctor: {log}: is empty\n".encode())


def test_a_binary_is_one_clear_line() -> None:
    done = doctor(sys.executable)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"is a binary file" in done.stderr


def test_a_folder_without_logs_is_one_clear_line(tmp_path: Path) -> None:
    done = doctor(tmp_path)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_no_permission_is_one_clear_line(tmp_path: Path) -> None:
    log = tmp_path / "secret.log"
    log.write_text("x\n")
    log.chmod(0)
    # root may read everything, so the command gives up its rights; a first run of it loads all its modules
    load = "import sys; from diagnose.cli.main import doctor, run; doctor(['--help'], standalone_mode=False); "
    load += "from diagnose import diagnose; diagnose(sys.argv[2]); sys.argv.pop(); "
    give_up = "import os; os.geteuid() or os.seteuid(65534); "
    readable = tmp_path / "readable.log"
    readable.write_text("x\n")
    folders = [tmp_path, *tmp_path.parents][:-2]
    for folder in folders:
        folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    command = [sys.executable, "-c", load + give_up + "run()", str(log), str(readable)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"slurm-doctor: {log}: Permission denied\n".encode())


def test_a_gz_that_breaks_off_is_diagnosed_as_far_as_it_goes(tmp_path: Path) -> None:
    packed = gzip.compress(FAILING.read_bytes())
    log = tmp_path / "cut.log.gz"
    log.write_bytes(packed[: len(packed) // 2])
    done = doctor("--format", "json", log)
    answer = json.loads(done.stdout)
    assert answer["cause"]["line"] == 30
    assert any("break off" in note for note in answer["notes"])


def test_a_gz_that_cannot_be_read_at_all_is_one_clear_line(tmp_path: Path) -> None:
    log = tmp_path / "bad.log.gz"
    log.write_bytes(b"\x1f\x8b garbage that is no gzip data")
    done = doctor(log)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_random_bytes_are_no_log_and_old_encodings_are_one(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_bytes(random.Random(1).randbytes(4096))
    assert b"is a binary file" in doctor(log).stderr
    log.write_bytes("段错误 核心已转储\n".encode("gbk") * 40)
    assert doctor(log).stderr == b""


def test_the_report_does_not_overwrite_the_log(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_bytes(FAILING.read_bytes())
    assert doctor(log, "-o", log).returncode == 2
    assert log.read_bytes() == FAILING.read_bytes()


def test_numbers_of_any_length_are_read_or_left(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    long = "9" * 5000
    log.write_text(
        f"srun: error: node1: task {long}: Exited with exit code {long}\nsrun: error: n: tasks 0-{long}: Killed\n"
    )
    done = doctor(log)
    assert done.returncode in (1, 3)
    assert b"Traceback" not in done.stderr


def test_no_newline_and_invalid_utf8_are_no_problem(tmp_path: Path) -> None:
    log = tmp_path / "odd.log"
    log.write_bytes(
        b"\xff\xfe nonsense \x00\n[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. \xc3"
    )
    done = doctor("--format", "json", log)
    answer = json.loads(done.stdout)
    assert (answer["category"], answer["cause"]["line"], answer["first_failure"]["rank"]) == ("gpu-memory", 2, 1)


def test_one_unreadable_log_does_not_lose_the_others() -> None:
    done = doctor("/no/such.log", FAILING)
    assert done.returncode == 2
    assert b"rank 7" in done.stdout


def test_hostile_log_text_stays_inert(tmp_path: Path) -> None:
    log = tmp_path / "hostile.log"
    log.write_bytes(
        b"[rank1]: ValueError: [red]x[/red] \x1b[31m\x1b]0;owned\x07 \xe2\x80\xae \x07 $(reboot) `reboot` {who}\n"
    )
    for args in ([], ["--color", "always"], ["--format", "json"]):
        out = doctor(*args, log).stdout.decode()
        assert "\x07" not in out
        assert "\u202e" not in out
        assert "]0;owned" not in out
    assert "[red]x[/red]" in doctor(log).stdout.decode()


def test_a_reader_that_goes_away_is_a_normal_end() -> None:
    command = f"{sys.executable} -c 'from diagnose.cli.main import run; run()' -v {FAILING} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def test_the_callers_exit_code_fills_in_what_the_log_does_not_state(tmp_path: Path) -> None:
    log = tmp_path / "quiet.log"
    log.write_text("hello\n")
    answer = json.loads(doctor("--format", "json", "--exit-code", 137, log).stdout)
    assert (answer["verdict"], answer["exit"]["code"], answer["exit"]["signal"]) == ("failed", 137, "SIGKILL")
    assert doctor("--exit-code", 0, log).returncode == 0


def test_rules_test_passes_and_fails(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("schema: 1\n")
    done = doctor("rules", "test", "--only", "address-in-use", tmp_path)
    assert done.returncode == 1
    assert b"broken.yaml:1: lacks the key" in done.stderr


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("srun: error: n1: task 0: Killed\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, str(log)], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"cannot be written" in done.stderr


def test_several_logs_keep_their_order_and_names(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.log", tmp_path / "bad.log"
    good.write_text("[after training is done] datetime: 2026-03-04 03:00:00\n")
    bad.write_text("srun: error: n1: task 0: Killed\n")
    listed = json.loads(doctor("--format", "json", good, tmp_path / "absent.log", bad).stdout)
    assert [one and one["verdict"] for one in listed] == ["ok", None, "failed"]
    assert doctor("-q", good, bad).stdout.startswith(f"{good}: ok: none".encode())


def test_a_mistyped_command_is_no_log() -> None:
    done = doctor("rule", "list")
    assert done.returncode == 2
    assert b"did you mean 'rules'?" in done.stderr


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    log = os.path.join(os.fsencode(tmp_path), b"x\xff.log")
    with open(log, "wb") as file:
        file.write(b"srun: error: n1: task 0: Killed\n")
    done = subprocess.run([*COMMAND, "--format", "json", log], capture_output=True, check=False)
    assert json.loads(done.stdout)["cause"]["file"].endswith("x\ufffd.log")
