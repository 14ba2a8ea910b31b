"""Required literals: every match of a pattern contains one of them."""

from __future__ import annotations

import re

import pytest

from diagnose.signatures.literals import NoLiteral, required_literals


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"CUDA out of memory\. Tried", {b"CUDA out of memory. Tried"}),
        (r"(?:foo|barb)baz\d", {b"foobaz", b"barbbaz"}),
        (r"Detected \d+ oom[-_]kill", {b"Detected "}),
        (r"retr(?:ei|ie)ving", {b"retreiving", b"retrieving"}),
        (r"error(?:s)?: \d", {b"error: ", b"errors: "}),
        (r"(?:abcd)+x", {b"abcd"}),
        (r"a{2,3}wxyz", {b"wxyz"}),
        (r"(?:abcd|\d+efgh)", {b"abcd", b"efgh"}),
    ],
)
def test_literals_of_a_pattern(pattern: str, literals: set[bytes]) -> None:
    assert required_literals(pattern) == (literals, False)


def test_a_caseless_pattern_gives_lower_case_literals() -> None:
    assert required_literals(r"(?i)No Space Left") == ({b"no space left"}, True)


@pytest.mark.parametrize("pattern", [r"\d+", r"(?:abcd)?x", r"abc", r"(?:abcd|x)y", r".*"])
def test_a_pattern_without_a_literal_is_refused(pattern: str) -> None:
    with pytest.raises(NoLiteral):
        required_literals(pattern)


def test_a_pattern_that_does_not_parse_is_refused() -> None:
    with pytest.raises(re.error):
        required_literals(r"(abcd")
