"""How sure the answer is: a word with its reasons.

confirmed: the line states the cause itself, nothing else competes, and something independent agrees (an exit report, the
same words on other ranks). likely: one of these is missing. weak: only consequences or an exit code are left.
"""

from __future__ import annotations

from diagnose.model import Confidence
from diagnose.verdict.blame import Blame
from diagnose.verdict.collectives import Stuck
from diagnose.verdict.deaths import Ending
from diagnose.verdict.suspects import Suspect


def judge(
    root: Suspect, blame: Blame, stuck: Stuck, endings: list[Ending], suspects: list[Suspect]
) -> tuple[Confidence, list[str]]:
    """Return the word and its reasons."""
    if root.tier == "symptom":
        return _of_symptom(root, stuck)
    if root.tier == "crash":
        return _of_crash(root, blame)
    reasons = [f"line {root.line.number} states the cause itself"]
    rivals = _rivals(root, suspects)
    if rivals:
        lines = ", ".join(str(rival.line.number) for rival in rivals[:3])
        return "likely", [*reasons, f"but another failure that nothing explains stands in line {lines}"]
    if root.from_outside:
        return "confirmed", [*reasons, "nothing failed before it"]
    if root.category == "scheduler":
        return "confirmed", [*reasons, "it is the scheduler's own refusal, and nothing ran after it"]
    if root.generic and root.event is not None and root.event.raised is not None and not root.event.raised.header:
        return "likely", [*reasons, "but its traceback is not in the log"]
    if blame.ending is not None:
        report = blame.ending.stated
        return "confirmed", [*reasons, f"line {report.line.number} ({report.reporter}) agrees that the process failed"]
    if root.likes:
        return "confirmed", [*reasons, f"{len(root.likes) + 1} lines say the same"]
    if any(suspect.tier == "symptom" and suspect.lost for suspect in suspects):
        return "confirmed", [*reasons, "what others report fits as its consequence"]
    return "likely", [*reasons, "no exit report or second line in the log agrees"]


def _rivals(root: Suspect, suspects: list[Suspect]) -> list[Suspect]:
    """Other unexplained causes of another category."""
    return [
        suspect
        for suspect in suspects
        if suspect.tier == "cause"
        and suspect is not root
        and suspect not in root.likes
        and suspect.explained_by is None
        and suspect.category != root.category
        and not suspect.from_outside
        and (suspect.lost or "").startswith("later")
        and not suspect.generic
    ]


def _of_symptom(root: Suspect, stuck: Stuck) -> tuple[Confidence, list[str]]:
    if stuck.mismatch:
        return "confirmed", ["ranks run different collectives at the same sequence number"]
    if stuck.absent or stuck.lagging:
        return "likely", ["the ranks that are missing or behind are known, but not what kept them"]
    return "weak", [f"line {root.line.number} is a consequence; what caused it is not in this log"]


def _of_crash(root: Suspect, blame: Blame) -> tuple[Confidence, list[str]]:
    reasons = [f"line {root.line.number} reports that the process ended, and nothing in the log says why"]
    if root.ending is not None and root.ending.crashed and blame.rank is not None:
        return "likely", reasons
    return "weak", reasons
