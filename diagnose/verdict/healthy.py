"""No root cause: did the job succeed, or does the log not tell?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from diagnose.events import Facts, Line
from diagnose.model import Advice, Confidence, Verdict
from diagnose.verdict.deaths import Ending
from diagnose.verdict.survival import Survival
from diagnose.verdict.suspects import Suspect


@dataclass
class Judged:
    """A verdict without a failure."""

    verdict: Verdict
    category: str
    title: str
    why: str
    confidence: Confidence
    reasons: list[str]
    fix: list[Advice] = field(default_factory=list)


_SERIOUS = re.compile(
    rb"(?:srun|sbatch|salloc|slurmstepd[\w-]*): (?:error|fatal): |(?:\S+ ){0,4}\[?(?:FATAL|Fatal error|PANIC|panic)\b"
    rb"|Traceback \(most recent call last\):$"
)


def _unknown_errors(facts: Facts) -> list[Line]:
    known = {event.line.index for event in facts.events} | {mark.line.index for mark in facts.marks}
    known |= {raised.header.index for raised in facts.text.raised if raised.header}
    return [line for line in facts.text.lines if line.index not in known and _SERIOUS.match(line.plain)]


def teardown_noise(root: Suspect, endings: list[Ending], survival: Survival) -> bool:
    """Whether the training had finished, no process is reported to have failed, and the root states no known cause."""
    harmless = root.tier == "symptom" or root.generic
    if not harmless or any(not ending.torn_down for ending in endings):
        return False
    return survival.success_before(root.line) is not None


def judge_without_root(facts: Facts, survival: Survival) -> Judged:
    """Success, no failure found, or cannot tell."""
    said = survival.successes or survival.launcher_successes
    if said:
        line = said[-1].line.number
        why = "Nothing to fix: the training finished with success; what looks like an error before or after did not end it."
        return Judged(
            "ok", "none", "The job succeeded", why, "confirmed", [f"line {line} says that the training finished"]
        )
    last = survival.steps[-1][1] if survival.steps else None
    if last is not None and last.captures.get("total") and last.captures.get("step") == last.captures["total"]:
        why = "Nothing to fix: the last step of the training was reached and nothing failed after it."
        reason = f"line {last.line.number} is the last of {last.captures['total']} steps"
        return Judged("ok", "none", "The job reached its last step", why, "likely", [reason])
    if survival.steps or facts.of_kind("topology"):
        why = "The training had started, but the log ends without a failure and without a success: it was cut off, the job still runs, or the batch node died."
        steps = [
            Advice("Ask Slurm how the job ended: NODE_FAIL means that the batch node died and could write nothing more.", 'sacct -j "$SLURM_JOB_ID" -o JobID,State,ExitCode,DerivedExitCode,NodeList'),
            Advice("Look at the kernel log of the batch node (dmesg), and at scontrol show job while Slurm still remembers it.", 'scontrol show job "$SLURM_JOB_ID"'),
            Advice("If the job was requeued, the log of the first attempt was overwritten: submit with --open-mode=append."),
        ]  # fmt: skip
        return Judged(
            "unknown",
            "unknown",
            "The log stops without saying how the job ended",
            why,
            "unknown",
            ["no failure, no success and no end of the training in the log"],
            steps,
        )
    strange = _unknown_errors(facts)
    if strange:
        why = "The log has an error that no rule knows. Whether it ended the job, its state in the accounting tells."
        reason = f"line {strange[0].number} looks serious, but no rule knows it"
        steps = [Advice("Ask Slurm how the job ended.", 'sacct -j "$SLURM_JOB_ID" -o JobID,State,ExitCode,DerivedExitCode,NodeList')]  # fmt: skip
        return Judged("unknown", "unknown", "The log does not say how the job ended", why, "unknown", [reason], steps)
    why = "Nothing to fix: no line of the log is known to be a failure."
    return Judged(
        "ok", "none", "No failure found", why, "weak", ["the log holds no sign of a failure, nor of a training"]
    )
