"""A stuck collective: which rank is behind, which is missing, which runs something else.

Only ranks whose membership and whose own lines are in the log can be called absent. A text that names the missing
ranks (monitoredBarrier, a store barrier) needs neither.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from diagnose.events import Collective, Dump, Facts, whole_number
from diagnose.verdict.suspects import Suspect
from diagnose.verdict.topology import Topology

_SAME_SIZE_EVERYWHERE = {"ALLREDUCE", "BROADCAST", "REDUCE", "BARRIER", "COALESCED", "ALLREDUCE_COALESCED"}
_DEFAULT_GROUPS = {None, "0", "default_pg"}


@dataclass
class Stuck:
    """What the states of the ranks say together."""

    absent: list[int]
    lagging: list[int]
    odd: Collective | None = None
    mismatch: bool = False


def examine_collectives(facts: Facts, topology: Topology, symptoms: list[Suspect]) -> Stuck:
    """Compare what the ranks say of the collective that timed out first."""
    named = _named_absent(symptoms)
    if named:
        return Stuck(absent=named, lagging=[])
    if facts.dumps:
        return _from_dumps(facts.dumps)
    behind = _behind_in_the_default_group(facts.collectives)
    if behind:
        return Stuck([], behind)
    timed_out = [state for state in facts.collectives if state.timed_out and state.seq is not None]
    if not timed_out:
        return Stuck([], [])
    group, seq = timed_out[0].group, timed_out[0].seq
    same = [state for state in timed_out if _same_group(state.group, group) and state.seq == seq]
    odd = _odd_one(same)
    if odd is not None or _differs(same):
        return Stuck([], [], odd, mismatch=True)
    lagging = _lagging(facts.collectives, group, seq)
    absent = [] if lagging else _absent(facts, topology, group)
    return Stuck(absent, lagging)


def _from_dumps(dumps: list[Dump]) -> Stuck:
    """Compare Flight Recorder dumps: a rank that enqueued less is behind; one that ran something else differs."""
    furthest = max(dump.enqueued for dump in dumps)
    behind = sorted(dump.rank for dump in dumps if dump.enqueued < furthest)
    if behind and len(behind) * 2 <= len(dumps):
        return Stuck([], behind)
    stuck = max(dump.completed for dump in dumps) + 1
    kinds: dict[tuple[str, str], list[int]] = defaultdict(list)
    for dump in dumps:
        if stuck in dump.operations:
            kinds[dump.operations[stuck]].append(dump.rank)
    if len(kinds) == 2:
        few, many = sorted(kinds.values(), key=len)
        return Stuck([], few if len(few) < len(many) else [], mismatch=True)
    return Stuck([], [], mismatch=len(kinds) > 1)


def _named_absent(symptoms: list[Suspect]) -> list[int]:
    """Ranks that a message names as missing: signatures that blame ``absent`` with a capture ``peer``."""
    named: list[int] = []
    for suspect in symptoms:
        event = suspect.event
        if event is None or event.signature.blames != "absent":
            continue
        for part in event.captures.get("peer", "").replace(" ", "").split(","):
            rank = whole_number(part)
            if rank is not None and rank not in named:
                named.append(rank)
    return named


def _same_group(one: str | None, two: str | None) -> bool:
    """A line that names no group may be about any."""
    return one is None or two is None or one == two


def _what(state: Collective) -> tuple[str | None, int | None]:
    return state.op, state.numel if state.op in _SAME_SIZE_EVERYWHERE else None


def _differs(states: list[Collective]) -> bool:
    return len({_what(state) for state in states if state.op}) > 1


def _odd_one(states: list[Collective]) -> Collective | None:
    """The one rank that runs something else, where the others agree and are more."""
    kinds: dict[tuple[str | None, int | None], list[Collective]] = defaultdict(list)
    for state in states:
        if state.op:
            kinds[_what(state)].append(state)
    if len(kinds) != 2:
        return None
    few, many = sorted(kinds.values(), key=len)
    ranks = {state.rank for state in few}
    return few[0] if len(ranks) == 1 and None not in ranks and len({state.rank for state in many}) > 1 else None


def _behind_in_the_default_group(states: list[Collective]) -> list[int]:
    """The few ranks that had not even enqueued what the others wait for, by lines that name the default group."""
    enqueued = {
        state.rank: state.enqueued
        for state in states
        if state.group in _DEFAULT_GROUPS - {None} and state.rank is not None and state.enqueued is not None
    }
    stuck = (
        max((state.completed for state in states if state.rank in enqueued and state.completed is not None), default=-1)
        + 1
    )
    behind = sorted(rank for rank, last in enqueued.items() if last < stuck)
    return behind if len(behind) * 2 < len(enqueued) else []


def _lagging(states: list[Collective], group: str | None, seq: int | None) -> list[int]:
    """Ranks of the group whose last enqueued number is below the stuck one."""
    if seq is None:
        return []
    behind = {
        state.rank
        for state in states
        if _same_group(state.group, group)
        and state.enqueued is not None
        and state.enqueued < seq
        and state.rank is not None
    }
    ahead = {state.rank for state in states if state.enqueued is not None and state.enqueued >= seq}
    return sorted(behind) if behind and ahead else []


def _absent(facts: Facts, topology: Topology, group: str | None) -> list[int]:
    """Ranks that are known, printed something, and say nothing of the stuck collective of the default group."""
    if topology.world is None or group not in _DEFAULT_GROUPS:
        return []
    reporting = Counter(state.rank for state in facts.collectives if state.rank is not None)
    missing = [rank for rank in range(topology.world) if rank not in reporting]
    if missing and len(missing) * 2 <= topology.world and all(rank in topology.ranks for rank in missing):
        return missing
    return []
