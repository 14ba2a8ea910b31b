"""Suspects: everything that may have ended the job, each with who, when and how strong it is.

cause      a line that states what went wrong            beats
crash      a process that died without a word            beats
symptom    a timeout, a lost peer, a wrapper
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from diagnose.events import FALLBACK, Event, Facts, Line
from diagnose.model import Signature
from diagnose.verdict.deaths import Ending
from diagnose.verdict.order import Order
from diagnose.verdict.survival import ENDED_FROM_OUTSIDE, Survival
from diagnose.verdict.topology import Topology, Who

Tier = Literal["cause", "crash", "symptom"]


@dataclass(eq=False)
class Suspect:
    """One candidate for the root cause, itself and nothing that looks like it.

    ``lost`` says why it was rejected, in words for ``-v``.
    """

    tier: Tier
    line: Line
    who: Who
    category: str
    event: Event | None = None
    ending: Ending | None = None
    lost: str | None = None
    explained_by: Suspect | None = None
    likes: list[Suspect] = field(default_factory=list)

    @property
    def signature(self) -> Signature | None:
        return self.event.signature if self.event else None

    @property
    def name(self) -> str:
        return self.event.signature.id if self.event else f"exit-{self.ending.code if self.ending else ''}"

    @property
    def generic(self) -> bool:
        """Whether only the fallback knows it."""
        return self.event is not None and self.event.signature.id == FALLBACK

    @property
    def from_outside(self) -> bool:
        return self.category in ENDED_FROM_OUTSIDE


def gather_suspects(facts: Facts, topology: Topology, survival: Survival, order: Order) -> list[Suspect]:
    """All causes and symptoms, in order of time; the survived and the swallowed ones are marked as lost."""
    suspects = []
    for event in facts.events:
        if event.role not in ("cause", "symptom") or not _requirements_hold(event, topology, survival):
            continue
        suspect = Suspect(
            "cause" if event.role == "cause" else "symptom",
            event.line,
            topology.who(event.line, event.captures),
            event.category,
            event,
        )
        if event.raised is not None and event.raised.handled:
            suspect.lost = "the exception was caught: the interpreter or a logger reports it and goes on"
        else:
            suspect.lost = survival.why_survived(event)
        suspects.append(suspect)
    suspects.sort(key=lambda suspect: order.key(suspect.line))
    return suspects


def _requirements_hold(event: Event, topology: Topology, survival: Survival) -> bool:
    requires = event.signature.requires
    if requires is None:
        return True
    if requires.ranks and len(topology.ranks) < int(requires.ranks) and (topology.world or 0) < int(requires.ranks):
        return False
    if requires.phase:
        started = any(survival.order.key(mark.line) < survival.order.key(event.line) for _, mark in survival.steps)
        return started == (requires.phase == "after-first-step")
    return True
