"""Filling texts: optional parts, missing captures, and commands that stay commands."""

from __future__ import annotations

import pytest

from diagnose.verdict.wording import fill, fill_command


def test_a_missing_capture_drops_its_part() -> None:
    assert fill("Port[ {port}] is in use", {}) == "Port is in use"
    assert fill("Port[ {port}] is in use", {"port": "29500"}) == "Port 29500 is in use"


def test_brackets_without_a_capture_stay() -> None:
    assert fill("listen on [::] failed", {}) == "listen on [::] failed"


def test_double_braces_are_literal() -> None:
    assert fill("use ${{SLURM_JOB_ID}}", {}) == "use ${SLURM_JOB_ID}"


def test_log_text_is_not_filled_again() -> None:
    assert fill("{message}", {"message": "{who} [x {port}]"}) == "{who} [x {port}]"


def test_commands_quote_captures_for_the_shell() -> None:
    assert fill_command("ls {path}", {"path": "a; rm -rf /"}) == "ls 'a; rm -rf /'"


def test_a_command_with_a_missing_capture_is_left_out() -> None:
    assert fill_command("ls {path}", {}) is None


@pytest.mark.parametrize("value", ["--version", "-rf", "a\nb", "a\x1b[2Jb"])
def test_log_text_becomes_no_option_and_no_control_sequence(value: str) -> None:
    assert fill_command("ls {path}", {"path": value}) is None


def test_log_text_does_not_leave_the_quotes_of_a_command() -> None:
    assert fill_command("sh -c 'ls {path}'", {"path": "/data/a.bin"}) == "sh -c 'ls /data/a.bin'"
    assert fill_command("sh -c 'ls {path}'", {"path": "x; touch /tmp/owned"}) is None
