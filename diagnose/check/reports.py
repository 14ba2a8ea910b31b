"""Outcomes -> text, JSON, JUnit XML or GitHub annotations: the same facts in the form that a CI reads."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from diagnose.check.case import Outcome
from diagnose.check.figures import FIELDS, Figures, count_figures
from diagnose.verdict.wording import visible


def text_check(outcomes: Sequence[Outcome], verbose: bool = False) -> str:
    """One line for each wrong case, and a table of figures for each folder."""
    lines = []
    for outcome in outcomes:
        if outcome.wrong:
            lines.append(f"{outcome.case.name}: wrong: {', '.join(outcome.wrong)}")
            if verbose:
                lines += [f"    {line}" for line in difference(outcome)]
    return "\n".join([*lines, _table(outcomes)]) + "\n"


def json_check(outcomes: Sequence[Outcome]) -> str:
    """A list with one object for each case."""
    return json.dumps([_plain(outcome) for outcome in outcomes], indent=2) + "\n"


def junit_check(outcomes: Sequence[Outcome]) -> str:
    """One test case for each log."""
    wrong = sum(bool(outcome.wrong) for outcome in outcomes)
    suite = ElementTree.Element("testsuite", name="slurm-doctor", tests=str(len(outcomes)), failures=str(wrong))
    for outcome in outcomes:
        folder, _, name = outcome.case.name.partition("/")
        case = ElementTree.SubElement(suite, "testcase", classname=_xml(folder), name=_xml(name))
        if outcome.wrong:
            failure = ElementTree.SubElement(case, "failure", message=_xml("wrong: " + ", ".join(outcome.wrong)))
            failure.text = _xml("\n".join(difference(outcome)))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def github_check(outcomes: Sequence[Outcome]) -> str:
    """An error annotation for each wrong case, at the line that was taken for the cause."""
    rows = []
    for outcome in outcomes:
        if outcome.wrong:
            line = outcome.diagnosis.cause.line or 1
            message = f"wrong: {', '.join(outcome.wrong)}\n" + "\n".join(difference(outcome))
            rows.append(f"::error file={_property(str(outcome.case.log))},line={line}::{_message(message)}\n")
    return "".join(rows)


def difference(outcome: Outcome) -> list[str]:
    """What was expected and what was answered: category, line, rank, node, exit code."""
    expect, found = outcome.case.expect, outcome.diagnosis
    wanted = (
        expect["category"],
        expect["root_lines"][:4],
        expect.get("first_rank"),
        expect["first_node"],
        expect.get("exit_code"),
    )
    got = (found.category, found.cause.line, found.first_failure.rank, found.first_failure.node, found.exit.code)
    return [f"expected {wanted}", f"answered {got} {found.signature} ({found.confidence})"]


def _plain(outcome: Outcome) -> dict[str, Any]:
    found = outcome.diagnosis
    return {
        "case": outcome.case.name,
        "log": str(outcome.case.log),
        "wrong": outcome.wrong,
        "scores": outcome.scores,
        "false_claim": outcome.false_claim,
        "answer": {
            "verdict": found.verdict,
            "category": found.category,
            "signature": found.signature,
            "confidence": found.confidence,
            "line": found.cause.line,
            "rank": found.first_failure.rank,
            "node": found.first_failure.node,
            "exit_code": found.exit.code,
        },
    }


def _table(outcomes: Sequence[Outcome]) -> str:
    folders: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        folders[outcome.case.log.parent.name].append(outcome)
    heads = ["folder", "cases", *FIELDS, "false claims", "confirmed", "right & confirmed", "whole"]
    rows = [
        heads,
        *(_row(name, count_figures(group)) for name, group in folders.items()),
        _row("all", count_figures(outcomes)),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _row(name: str, figures: Figures) -> list[str]:
    return [
        name,
        str(figures.cases),
        *(_share(figures.right[field], figures.of[field]) for field in FIELDS),
        _share(figures.false_claims, figures.unstated),
        _share(figures.confirmed_right, figures.confirmed),
        _share(figures.confirmed_right, figures.right_answers),
        _share(figures.whole, figures.cases),
    ]


def _share(right: int, of: int) -> str:
    return f"{right}/{of} {100 * right / of:.0f}%" if of else "-"


def _xml(text: str) -> str:
    return visible(text.replace("\n", "\t")).replace("\t", "\n")


def _message(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
