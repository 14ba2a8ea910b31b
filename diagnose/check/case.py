"""One labelled log and how its diagnosis is scored, field by field.

``expect`` holds: ``category`` (and ``accept``), ``root_lines``, ``first_rank``, ``first_node``, ``exit_code``,
``fix_any``. A field that is absent is not scored; a null rank or exit code is scored as "must not be claimed".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnose.diagnosis import diagnose
from diagnose.model import Diagnosis
from diagnose.signatures import Catalogue
from diagnose.signatures.yaml_text import read_yaml


class CaseFault(Exception):
    """A label that cannot be used; the text names file, line and key."""


@dataclass(frozen=True)
class Case:
    """A log and what its diagnosis must say. Numbers are numbers here, null is None."""

    log: Path
    expect: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.log.parent.name}/{self.log.stem}"


@dataclass(frozen=True)
class Outcome:
    """How one case went: the fields that were scored, and whether each is right."""

    case: Case
    diagnosis: Diagnosis
    scores: dict[str, bool] = field(default_factory=dict)
    false_claim: bool = False

    @property
    def wrong(self) -> list[str]:
        """Names of the fields that are wrong; a false claim is one of them."""
        return [name for name, right in self.scores.items() if not right] + (
            ["false-claim"] if self.false_claim else []
        )


def find_cases(folders: Iterable[Path]) -> list[Case]:
    """All logs below the folders that have a label beside them, in order of their names."""
    cases = []
    for folder in folders:
        for label in sorted(folder.rglob("*.yaml")):
            log = label.with_suffix(".log")
            if log.is_file():
                cases.append(Case(log, _expectation(label)))
    return cases


def _expectation(label: Path) -> dict[str, Any]:
    document = read_yaml(label)
    if document.faults:
        raise CaseFault(str(document.faults[0]))
    expect = document.value.get("expect") if isinstance(document.value, dict) else None
    if not isinstance(expect, dict) or "category" not in expect:
        raise CaseFault(f"{label}:1: expect: a mapping with at least a category is needed")
    try:
        return {
            **expect,
            "accept": list(expect.get("accept") or []),
            "root_lines": [int(line) for line in expect.get("root_lines") or []],
            **{name: _number(expect[name]) for name in ("first_rank", "exit_code") if name in expect},
            "first_node": _text(expect.get("first_node")),
        }
    except (TypeError, ValueError) as error:
        raise CaseFault(f"{label}:{document.lines.get('expect', 1)}: expect: {error}") from None


def _text(value: str | None) -> str | None:
    return None if value in (None, "null", "~", "") else value


def _number(value: str | None) -> int | None:
    text = _text(value)
    return None if text is None else int(text)


def run_case(case: Case, catalogue: Catalogue) -> Outcome:
    """Diagnose the log and score the answer."""
    found = diagnose(case.log, catalogue=catalogue)
    expect = case.expect
    categories = [expect["category"], *expect["accept"]]
    scores = {
        "verdict": (found.verdict == "ok") == ("none" in categories)
        or (found.verdict != "ok" and expect["category"] != "none")
    }
    scores["category"] = found.category in categories
    if expect["root_lines"]:
        scores["line"] = found.cause.line in expect["root_lines"]
    if expect.get("first_rank") is not None:
        scores["rank"] = found.first_failure.rank == expect["first_rank"]
    if expect["first_node"] is not None:
        scores["node"] = found.first_failure.node == expect["first_node"]
    if expect.get("exit_code") is not None:
        scores["exit"] = found.exit.code == expect["exit_code"]
    if expect.get("fix_any"):
        text = " ".join([found.title, found.why, *(f"{step.do} {step.run or ''}" for step in found.fix)]).lower()
        scores["fix"] = any(word.lower() in text for word in expect["fix_any"])
    false_claim = (
        "first_rank" in expect and expect["first_rank"] is None and isinstance(found.first_failure.rank, int)
    ) or ("exit_code" in expect and expect["exit_code"] is None and found.exit.code is not None)
    return Outcome(case, found, scores, false_claim)
