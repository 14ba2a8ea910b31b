"""Running one pattern of a rule: its named groups, and a time limit that holds for good."""

from __future__ import annotations

import pytest

from diagnose.signatures import patterns, search


def test_named_groups_or_none() -> None:
    assert search(r"Xid (?P<xid>\d+)", b"NVRM: Xid 79") == {"xid": b"79"}
    assert search(r"Xid (?P<xid>\d+)", b"nothing") is None


def test_a_pattern_that_timed_out_once_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "PATTERN_SECONDS", 0.01)
    pattern = r"^(?:(.*)(.*)(.*)(.*)(.*)(.*)\1\2x|b)$"
    assert search(pattern, b"ab" * 60 + b"!") is None
    assert search(pattern, b"b") is None
    assert search(f"(?:{pattern})", b"b") is not None
