"""The root's rank, node and exit: what the log proves, and nothing more.

An error that several ranks print alike has no first rank unless clocks tell them apart. A line without a rank may get
one from the exit reports, where just one rank failed on its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from diagnose.events import whole_number
from diagnose.verdict.collectives import Stuck
from diagnose.verdict.deaths import Ending, failed_alone
from diagnose.verdict.order import Order
from diagnose.verdict.suspects import Suspect
from diagnose.verdict.topology import Topology

CLEARLY_FIRST_SECONDS = 20.0
SAME_WAVE_SECONDS = 5.0
USUAL_NODE_SIZES = (1, 2, 4, 6, 8, 16)


@dataclass
class Blame:
    """Who failed first and how its process ended."""

    rank: int | Literal["all"] | None = None
    node: str | None = None
    local_rank: int | None = None
    pid: int | None = None
    ending: Ending | None = None
    reason: str = ""


def assign_blame(root: Suspect, stuck: Stuck, endings: list[Ending], topology: Topology, order: Order) -> Blame:
    """Decide rank and node of the first failure, and which exit report belongs to it."""
    if root.from_outside:
        return Blame(None, _outside_node(root), ending=_cancelled_end(root, endings))
    if root.category == "scheduler":
        return Blame(None, root.who.node)  # nothing ran: codes in the log belong to other steps
    if root.tier == "crash":
        return _of_crash(root, endings, topology)
    if root.tier == "symptom":
        return _of_symptom(root, stuck, endings, topology)
    return _of_cause(root, endings, topology, order)


def _outside_node(root: Suspect) -> str | None:
    """Slurm names the culprit for a node failure only; a CANCELLED line names the node that reports."""
    return root.who.node if root.category == "node-failure" and root.event and root.event.captures.get("node") else None


def _cancelled_end(root: Suspect, endings: list[Ending]) -> Ending | None:
    """Cancelled processes end by SIGTERM; a time limit, a preemption and a lost node say nothing of a process."""
    if root.category != "cancelled":
        return None
    own = all(ending.torn_down for ending in endings)
    return next((ending for ending in endings if ending.signal == "SIGTERM"), None) if own else None


def _of_crash(root: Suspect, endings: list[Ending], topology: Topology) -> Blame:
    ending = root.ending
    assert ending is not None
    ranks = ending.ranks
    together = [
        other for other in _first_wave(failed_alone(endings)) if other.code == ending.code and not other.launcher
    ]
    if len(together) > 1 and not ending.launcher:
        nodes = {name for other in together for name in other.nodes}
        return Blame(None, nodes.pop() if len(nodes) == 1 else topology.only_node, ending=ending)
    rank: int | Literal["all"] | None = ranks[0] if len(ranks) == 1 else None
    node = root.who.node or (topology.only_node if not ending.nodes else None)
    return Blame(rank, node, ending.local_rank, ending.pid, ending, "an exit report names it" if ranks else "")


def _of_symptom(root: Suspect, stuck: Stuck, endings: list[Ending], topology: Topology) -> Blame:
    if stuck.odd is not None:
        who = topology.who(stuck.odd.line)
        return Blame(stuck.odd.rank, who.node or _node_of(stuck.odd.rank, topology), who.local_rank)
    suspects = stuck.absent or stuck.lagging
    if len(suspects) == 1:
        rank = suspects[0]
        return Blame(
            rank, _node_of(rank, topology), ending=_ending_of(rank, endings), reason="it is missing from the collective"
        )
    nodes = {topology.node_of_rank.get(rank) for rank in suspects}
    if suspects and len(nodes) == 1:
        return Blame(None, nodes.pop(), reason="its ranks are missing from the collective")
    alone = [
        ending for ending in endings if not ending.launcher
    ] or endings  # also who was torn down: one may be the culprit
    if root.signature is not None and root.signature.blames == "self":
        nodes = {suspect.who.node for suspect in [root, *root.likes]}
        ranks = {suspect.who.rank for suspect in [root, *root.likes]}
        if len(ranks) == 1 and None not in ranks:
            single = root.who.rank if root.who.rank is not None else -1
            ending = _ending_of(single, endings) or _single_code(alone)
            return Blame(single, root.who.node or _node_of(single, topology), ending=ending)
        if root.who.rank is None and not root.likes and nodes != {None}:
            return _from_endings(root, {node for node in nodes if node}, failed_alone(endings), topology)
        if len(nodes) == 1 and None not in nodes:
            return Blame(None, nodes.pop(), ending=_single_code(alone))
        if root.who.rank is None and nodes == {None} and alone and alone[0].launcher:
            return Blame(None, alone[0].node, ending=_single_code(alone))
    return Blame(None, None, ending=_single_code(alone))


def _node_of(rank: int | None, topology: Topology) -> str | None:
    return (topology.node_of_rank.get(rank) if rank is not None else None) or topology.only_node


def _of_cause(root: Suspect, endings: list[Ending], topology: Topology, order: Order) -> Blame:
    group = [root, *root.likes]
    ranks = {suspect.who.rank for suspect in group if suspect.who.rank is not None}
    nodes = {suspect.who.node for suspect in group if suspect.who.node is not None}
    alone = failed_alone(endings)
    odd = _named_by_all(group)
    if odd is not None:
        return Blame(odd, _node_of(odd, topology), ending=_ending_of(odd, endings) or _single_code(alone))
    if root.category == "collective-mismatch":
        return Blame(None, None, ending=_single_code(alone))
    if len(ranks) > 1 and not _clearly_first(root, group, order):
        everywhere: int | Literal["all"] | None = "all" if topology.are_all(ranks) else None
        return Blame(everywhere, nodes.pop() if len(nodes) == 1 else None, ending=_single_code(alone))
    rank = root.who.rank if root.who.rank is not None or len(ranks) != 1 else ranks.pop()
    if rank is None:
        return _from_endings(root, nodes, alone, topology)
    ending = _ending_of(rank, endings) or _launcher_of(rank, endings, topology)
    stranger = _stranger(rank, alone, topology) if ending is None else None
    if stranger is not None:
        return Blame(None, stranger.node or topology.only_node, ending=stranger)
    if ending is not None and ending.torn_down:
        ending = None  # the launcher ended it before it could end by itself
    return Blame(rank, root.who.node or (ending.node if ending else None), root.who.local_rank, root.who.pid, ending)


def _stranger(rank: int, alone: list[Ending], topology: Topology) -> Ending | None:
    """The end of another rank, where one rank alone prints: it may say what all met, and the other failed first."""
    if topology.speaking != {rank} or not alone or {ending.code for ending in alone} != {1}:
        return None
    others = [ending for ending in alone if rank not in ending.ranks and not _may_be(rank, ending, topology)]
    return others[0] if len(others) == len(alone) else None


def _named_by_all(group: list[Suspect]) -> int | None:
    """The one rank that every message of the form "rank A …, but rank B …" is about."""
    pairs = set()
    for suspect in group:
        captures = suspect.event.captures if suspect.event else {}
        rank, peer = whole_number(captures.get("rank")), whole_number(captures.get("peer"))
        if rank is not None and peer is not None:
            pairs.add(frozenset((rank, peer)))
    if len(pairs) < 2:
        return None
    common = frozenset.intersection(*pairs)
    return next(iter(common)) if len(common) == 1 else None


def _clearly_first(root: Suspect, group: Iterable[Suspect], order: Order) -> bool:
    """Whether the root's clock is well before those of all the others of its kind."""
    own = order.seconds(root.line)
    others = [order.seconds(suspect.line) for suspect in group if suspect.who.rank != root.who.rank]
    return own is not None and all(other is not None and other - own > CLEARLY_FIRST_SECONDS for other in others)


def _from_endings(root: Suspect, nodes: set[str], alone: list[Ending], topology: Topology) -> Blame:
    """The line names no rank: take it from the exit reports where they leave no choice."""
    who = root.who
    stated = [ending for ending in alone if ending.category == root.category and ending.ranks]
    if len({rank for ending in stated for rank in ending.ranks}) == 1:
        ending = stated[0]
        return Blame(
            ending.ranks[0],
            ending.node or who.node,
            ending.local_rank,
            ending.pid,
            ending,
            "its report states the cause",
        )
    here = [ending for ending in alone if not nodes or not ending.nodes or set(ending.nodes) & nodes]
    if root.category in ("host-memory", "external-kill"):
        here = [ending for ending in here if ending.signal == "SIGKILL"] or here
    else:
        here = [
            ending for ending in here if ending.signal != "SIGKILL" or ending.ranks
        ]  # a bare "Killed" is a clean-up
    wave = _first_wave(here)
    ranks = {rank for ending in wave for rank in ending.ranks}
    raised_elsewhere = root.event is not None and root.event.raised is not None and len(nodes) > 1
    node = None if raised_elsewhere else who.node or (nodes.pop() if len(nodes) == 1 else None)
    died_on = {name for ending in wave for name in ending.nodes}
    if node is None and len(died_on) == 1:
        node = died_on.pop()
    killed = root.category == "host-memory" and len(wave) == 1
    if len(ranks) == 1 and (killed or not _repeated(root) or topology.ranks == ranks):
        rank = ranks.pop()
        ending = next(ending for ending in wave if rank in ending.ranks)
        reason = "the only rank that failed on its own"
        return Blame(rank, node or _node_of(rank, topology), ending.local_rank, ending.pid, ending, reason)
    return Blame(None, node, who.local_rank, who.pid, _single_code(wave))


def _repeated(root: Suspect) -> bool:
    """Whether the very same words stand in several lines: then several processes may have printed them."""
    return any(other.event and root.event and other.event.message == root.event.message for other in root.likes)


def _first_wave(endings: list[Ending]) -> list[Ending]:
    """The endings that happened together first: by their reports' clocks, or the first launcher that left."""
    if endings and all(ending.launcher for ending in endings):
        return endings[:1]
    times = [_clocks(ending) for ending in endings]
    for form in set.intersection(*(set(one) for one in times)) if times else ():
        first = min(one[form] for one in times)
        return [ending for ending, one in zip(endings, times, strict=True) if one[form] - first <= SAME_WAVE_SECONDS]
    return endings


def _clocks(ending: Ending) -> dict[str, float]:
    """The times of an ending's reports by the form of their clocks."""
    return {death.clock.form: death.clock.seconds for death in ending.reports if death.clock}


def _ending_of(rank: int, endings: list[Ending]) -> Ending | None:
    return next((ending for ending in endings if rank in ending.ranks), None)


def _launcher_of(rank: int, endings: list[Ending], topology: Topology) -> Ending | None:
    """Where no report names a rank: the one code with which all ended, unless it is another local rank's."""
    if any(ending.ranks for ending in endings):
        return None
    ending = _single_code(failed_alone(endings))
    return ending if ending is not None and _may_be(rank, ending, topology) else None


def _may_be(rank: int, ending: Ending, topology: Topology) -> bool:
    """Whether a report without a global rank may be about this rank, by its local rank and the usual sizes of nodes."""
    if ending.ranks:
        return rank in ending.ranks
    if ending.local_rank is None or ending.first.reporter != "torchelastic":
        return True
    if topology.local_size:
        return rank % topology.local_size == ending.local_rank
    sizes = [size for size in USUAL_NODE_SIZES if size > 1 or len(topology.speaking) == 1]
    return any(rank % size == ending.local_rank for size in sizes)


def _single_code(endings: list[Ending]) -> Ending | None:
    codes = {ending.code for ending in endings}
    return endings[0] if len(codes) == 1 else None
