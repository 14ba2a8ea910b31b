"""The attempts of a job as the answer tells them: where each lies, how it ended, and of what."""

from __future__ import annotations

from diagnose.events import Facts
from diagnose.model import Incident, Verdict
from diagnose.verdict.attempts import Attempts
from diagnose.verdict.survival import Survival
from diagnose.verdict.suspects import Suspect


def tell_incidents(
    facts: Facts,
    survival: Survival,
    suspects: list[Suspect],
    root: Suspect | None,
    verdict: Verdict,
    category: str,
) -> list[Incident]:
    """One incident for each attempt: the root's carries the answer's category, an earlier one that of its first cause.

    ``phase`` is how far an attempt came: ``set-up`` before the first step, ``training``, ``teardown`` after a success.
    """
    attempts = survival.attempts
    spans: dict[int, tuple[int, int]] = {}
    for line in facts.text.lines:
        number = attempts.number_of(line)
        first, last = spans.get(number, (line.number, line.number))
        spans[number] = min(first, line.number), max(last, line.number)
    decided = attempts.number_of(root.line) if root else None
    finished = {attempts.number_of(mark.line) for mark in survival.successes}
    trained = {attempts.number_of(mark.line) for _, mark in survival.steps}
    incidents = []
    for number in sorted(spans):
        cause = root if number == decided else _first_cause(attempts, suspects, number)
        over = root is not None and number == decided and survival.success_before(root.line) is not None
        incidents.append(
            Incident(
                attempt=number,
                phase="teardown" if over else "training" if number in trained else "set-up",
                lines=spans[number],
                ended=_end(number == decided, number in finished, number < max(spans), verdict),
                category=category
                if number == decided
                else cause.category
                if cause
                else "none"
                if number in finished or verdict == "ok"
                else "unknown",
                cause_line=cause.line.number if cause else None,
            )
        )
    return incidents


def _end(decided: bool, finished: bool, followed: bool, verdict: Verdict) -> str:
    if decided:
        return "failed"
    if finished:
        return "finished"
    return "restarted" if followed else {"ok": "finished", "failed": "followed", "unknown": "unknown"}[verdict]


def _first_cause(attempts: Attempts, suspects: list[Suspect], number: int) -> Suspect | None:
    own = [suspect for suspect in suspects if suspect.tier == "cause" and attempts.number_of(suspect.line) == number]
    return next((suspect for suspect in own if not suspect.generic), own[0] if own else None)
