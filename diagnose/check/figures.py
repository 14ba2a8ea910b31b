"""Outcomes -> figures: how many of each field are right, and what was claimed without proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from diagnose.check.case import Outcome

FIELDS = ("verdict", "category", "line", "rank", "node", "exit", "fix")


@dataclass
class Figures:
    """Counts over a set of cases: ``right[field]`` of ``of[field]``."""

    cases: int = 0
    whole: int = 0
    right: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    of: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    unstated: int = 0
    false_claims: int = 0
    confirmed: int = 0
    confirmed_right: int = 0
    right_answers: int = 0


def count_figures(outcomes: Iterable[Outcome]) -> Figures:
    """Add up the scores. Category and line count over the cases that failed."""
    figures = Figures()
    for outcome in outcomes:
        figures.cases += 1
        figures.whole += not outcome.wrong
        expect = outcome.case.expect
        for name, right in outcome.scores.items():
            if name == "category" and expect["category"] == "none":
                continue
            figures.of[name] += 1
            figures.right[name] += right
        if expect.get("first_rank", 0) is None or expect.get("exit_code", 0) is None:
            figures.unstated += 1
            figures.false_claims += outcome.false_claim
        answer_right = outcome.scores["category"] and outcome.scores.get("line", True)
        figures.right_answers += answer_right
        if outcome.diagnosis.confidence == "confirmed":
            figures.confirmed += 1
            figures.confirmed_right += answer_right
    return figures
