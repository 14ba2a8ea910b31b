"""From suspects to one root: what is explained by something else is not the cause.

Unordered never rejects a cause: where clocks and streams do not tell which came first, both readings stay possible,
and a line that states a reason wins over one that only suffers.
"""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.events import CUT_OFF, Facts
from diagnose.verdict.deaths import Ending
from diagnose.verdict.order import Order
from diagnose.verdict.suspects import Suspect
from diagnose.verdict.topology import Topology, Who


def find_root(
    suspects: list[Suspect], endings: list[Ending], facts: Facts, topology: Topology, order: Order
) -> Suspect | None:
    """The root cause, or None where nothing failed. Rejected suspects get their reason in ``lost``."""
    _drop_later_commands(suspects, endings)
    live = [suspect for suspect in suspects if suspect.lost is None]
    causes = [suspect for suspect in live if suspect.tier == "cause"]
    symptoms = [suspect for suspect in live if suspect.tier == "symptom"]
    crashes = _bare_crashes(endings, causes, symptoms, topology)
    failed = [ending.first.line for ending in endings if not ending.torn_down and ending.code]
    specific = [suspect for suspect in causes if not suspect.generic and not suspect.from_outside]
    for suspect in causes:
        failed_before = any(line.index < suspect.line.index for line in failed)
        suspect.explained_by = _explanation(suspect, causes, specific, crashes, symptoms, failed_before, order)
    roots = [suspect for suspect in causes if suspect.explained_by is None]
    root = _earliest(roots, order)
    if root is not None:
        root = _earlier_crash(root, crashes, order) or root
    if root is None:
        crash = min(crashes, key=lambda crash: _strength(crash, order), default=None)
        root = _last_words(crash, suspects) or crash
    if root is None:
        root = _first_symptom(symptoms, order)
    if root is None:
        root = _any_ending(endings, topology)
    if root is not None:
        _tell_why_others_lost(root, [*live, *crashes])
        root.likes = [other for other in live if other is not root and _alike(root, other)]
    return root


def _drop_later_commands(suspects: list[Suspect], endings: list[Ending]) -> None:
    """A command that the shell cannot run after the launcher had reported a failure is the script's next line."""
    failed = [ending.first.line.index for ending in endings if not ending.torn_down and ending.code]
    complaints = [suspect.line.index for suspect in suspects if suspect.lost is None and suspect.category != "command"]
    for suspect in suspects:
        behind = min(failed, default=suspect.line.index) < suspect.line.index
        if (
            suspect.category == "command"
            and suspect.lost is None
            and behind
            and min(complaints, default=1 << 60) < suspect.line.index
        ):
            suspect.lost = "the script's next command, after the launcher had reported the failure"


def _earliest(roots: list[Suspect], order: Order) -> Suspect | None:
    """The first by time; where it stands in another file and no clock tells, the more specific, then the rarer one."""
    first = min(roots, key=lambda suspect: order.key(suspect.line), default=None)
    if first is None:
        return None
    level = [first] + [
        other for other in roots if other.line.file != first.line.file and order.before(first.line, other.line) is None
    ]
    return min(level, key=lambda suspect: (suspect.generic, sum(_alike(suspect, other) for other in roots)))


def _bare_crashes(
    endings: Iterable[Ending], causes: list[Suspect], symptoms: list[Suspect], topology: Topology
) -> list[Suspect]:
    """Deaths that nothing printed by the same process explains."""
    symptoms = [suspect for suspect in symptoms if suspect.name != CUT_OFF]
    speakers = {suspect.who.rank for suspect in symptoms}
    own_words = {suspect.who.rank for suspect in symptoms if suspect.signature and suspect.signature.blames == "self"}
    explained = {suspect.who.rank for suspect in causes if not suspect.from_outside}
    timeouts = any(suspect.category == "collective-timeout" for suspect in symptoms)
    ended = [suspect for suspect in causes if suspect.from_outside]
    crashes = []
    for ending in endings:
        if ending.torn_down or ending.code in (0, None):
            continue
        if ending.launcher and (ending.code == 1 or not ending.crashed):
            continue
        if set(ending.ranks) & explained:
            continue
        if ending.signal == "SIGABRT" and (timeouts or own_words.intersection(ending.ranks or (None,))):
            continue
        cancelled_only = {suspect.category for suspect in ended} <= {"cancelled"}
        if ending.signal == "SIGKILL" and ended and not (cancelled_only and ending.before_teardown):
            continue
        if not ending.crashed and symptoms:
            silent = [rank for rank in ending.ranks if rank not in speakers]
            if not ending.ranks or not silent or not (speakers - {None}):
                continue
        crashes.append(_suspect_of(ending, topology))
    return crashes


def without_followers(endings: list[Ending], suspects: list[Suspect]) -> list[Ending]:
    """The endings without the aborts of ranks that only timed out; all of them where nothing else is left."""
    timed_out = {suspect.who.rank for suspect in suspects if suspect.category == "collective-timeout"}
    left = [ending for ending in endings if ending.signal != "SIGABRT" or not set(ending.ranks) & timed_out]
    return left if any(not ending.torn_down for ending in left) else endings


def _suspect_of(ending: Ending, topology: Topology) -> Suspect:
    who = topology.who(ending.first.line)
    rank = ending.ranks[0] if len(ending.ranks) == 1 else None
    node = ending.node or (topology.node_of_rank.get(rank) if rank is not None else None) or topology.only_node
    return Suspect(
        "crash", ending.first.line, Who(rank, node, ending.local_rank, ending.pid or who.pid), "", ending=ending
    )


def _strength(crash: Suspect, order: Order) -> tuple[bool, bool, tuple[float, int]]:
    """Real crashes before plain exit codes, ranks before launchers, earlier before later."""
    ending = crash.ending
    assert ending is not None
    return ending.launcher, False, order.key(crash.line)


def _explanation(
    suspect: Suspect,
    causes: list[Suspect],
    specific: list[Suspect],
    crashes: list[Suspect],
    symptoms: list[Suspect],
    failed_before: bool,
    order: Order,
) -> Suspect | None:
    if suspect.from_outside:
        others = [other for other in causes if other is not suspect and not _alike(suspect, other)]
        hangs = [symptom for symptom in symptoms if symptom.category == "collective-timeout" or failed_before]
        return _before_the_end(suspect, others, [*crashes, *hangs], order)
    named = _named_explanation(suspect, causes, order)
    if named is not None:
        return named
    if suspect.generic:
        return next(
            (
                other
                for other in specific
                if _same_process(suspect, other) and not _alike(suspect, other) and _not_after(other, suspect, order)
            ),
            None,
        )
    return None


def _before_the_end(suspect: Suspect, others: list[Suspect], crashes: list[Suspect], order: Order) -> Suspect | None:
    """What had gone wrong before Slurm or a person ended the job. Preemption and node failure need no reason."""
    if suspect.category in ("preempted", "node-failure"):
        return None
    for other in [*others, *crashes]:
        if not other.from_outside and order.key(other.line) < order.key(suspect.line):
            return other
    stronger = [other for other in others if other.from_outside and other.category != "cancelled"]
    return stronger[0] if suspect.category == "cancelled" and stronger else None


def _named_explanation(suspect: Suspect, others: list[Suspect], order: Order) -> Suspect | None:
    signature = suspect.signature
    for explanation in signature.explained_by if signature else ():
        for other in others:
            if other is suspect or (other.name not in explanation.any and other.category not in explanation.any):
                continue
            if _alike(suspect, other):
                continue
            if _in_place(suspect, other, explanation.on) and _not_after(other, suspect, order):
                return other
    return None


def _in_place(suspect: Suspect, other: Suspect, place: str) -> bool:
    if place == "self":
        return _same_process(suspect, other)
    if place == "peer":
        peer = suspect.event.captures.get("peer") if suspect.event else None
        return peer is not None and other.who.rank is not None and str(other.who.rank) == peer
    if place == "node":
        return suspect.who.node is not None and suspect.who.node == other.who.node
    return True


def _same_process(one: Suspect, two: Suspect) -> bool:
    if one.who.rank is not None or two.who.rank is not None:
        return one.who.rank == two.who.rank
    return one.line.file == two.line.file and one.line.label.stream == two.line.label.stream


def _not_after(one: Suspect, two: Suspect, order: Order) -> bool:
    return order.before(two.line, one.line) is not True


def _earlier_crash(root: Suspect, crashes: list[Suspect], order: Order) -> Suspect | None:
    """A process that died without a word on another rank before the root was printed, where the root is unspecific."""
    if not root.generic or root.who.rank is None:
        return None
    for crash in crashes:
        if (
            crash.who.rank is not None
            and crash.who.rank != root.who.rank
            and order.key(crash.line) < order.key(root.line)
        ):
            return crash
    return None


def _last_words(crash: Suspect | None, suspects: list[Suspect]) -> Suspect | None:
    """The last exception of a process that left with code 1, though steps seem to follow it: they were buffered.

    Python leaves with 1 after an uncaught exception that it has just printed, to a stream that is not buffered.
    """
    if crash is None or crash.ending is None:
        return None
    if crash.ending.signal == "SIGKILL":
        killers = [suspect for suspect in suspects if suspect.tier == "cause" and suspect.category == "host-memory"]
        for killer in killers:
            killer.lost = None
        return killers[0] if killers else None
    if crash.ending.code != 1:
        return None
    own = [
        suspect
        for suspect in suspects
        if suspect.tier == "cause" and suspect.event and suspect.event.raised and not suspect.event.raised.handled
        and (suspect.who.rank == crash.who.rank if crash.ending.ranks else suspect.who.rank is None)
    ]  # fmt: skip
    if not own:
        return None
    own[-1].lost = None
    return own[-1]


def _first_symptom(symptoms: list[Suspect], order: Order) -> Suspect | None:
    """The consequence that says most: one that names the missing ranks, then a timeout, then a lost connection.

    A peer that closes its connection may have timed out itself, so a lost connection comes first only where the clocks
    say so. A symptom that another one explains by id (not only by category) is left out.
    """
    ids = {suspect.name for suspect in symptoms}
    left = [suspect for suspect in symptoms if not _explained_by_id(suspect, ids)] or symptoms

    def rank(suspect: Suspect) -> tuple[int, tuple[float, int]]:
        event = suspect.event
        names_absent = event is not None and event.signature.blames == "absent" and "peer" in event.captures
        lost_peer = suspect.category == "network"
        return (0 if names_absent else 2 if lost_peer else 1), order.key(suspect.line)

    best = min(left, key=rank, default=None)
    if best is not None and best.category == "collective-timeout":
        for suspect in left:
            if suspect.category != "collective-timeout" and order.before(suspect.line, best.line) is True:
                return suspect
    return best


def _explained_by_id(suspect: Suspect, ids: set[str]) -> bool:
    signature = suspect.signature
    named = {name for explanation in signature.explained_by for name in explanation.any} if signature else set()
    return bool(named & (ids - {suspect.name}))


def _any_ending(endings: list[Ending], topology: Topology) -> Suspect | None:
    """Only exit reports are left: the first that is no teardown, ranks before launchers."""
    ordered = sorted(endings, key=lambda ending: (ending.torn_down, ending.launcher))
    return _suspect_of(ordered[0], topology) if ordered else None


def _alike(one: Suspect, two: Suspect) -> bool:
    """The same failure, printed by another rank or once more."""
    if one.event is None or two.event is None or one.event.signature.id != two.event.signature.id:
        return False
    if not one.generic or one.event.message == two.event.message:
        return True
    return _raised_at(one) is not None and _raised_at(one) == _raised_at(two)


def _raised_at(suspect: Suspect) -> tuple[str, str] | None:
    """Type and last frame of the exception that a suspect is."""
    event = suspect.event
    links = event.raised.links if event and event.raised else []
    return next(((link.type, link.frames[-1]) for link in links if link.line is suspect.line and link.frames), None)


def _tell_why_others_lost(root: Suspect, others: Iterable[Suspect]) -> None:
    for other in others:
        if other is root or other.lost or _alike(root, other):
            continue
        if other.explained_by is not None:
            other.lost = f"explained by line {other.explained_by.line.number}"
        elif other.tier == "symptom":
            other.lost = "a consequence: somebody or something else failed first"
        elif other.tier == "crash":
            other.lost = "this process ended, but the log states a reason"
        else:
            other.lost = f"later than line {root.line.number}"
