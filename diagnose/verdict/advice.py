"""What to say and to do: title, why, fixes and the rest, from the signature or from the table of exit codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnose.events import Facts, whole_number
from diagnose.model import Action, Advice, FixStep, Transient, When
from diagnose.signatures import Catalogue, Row
from diagnose.verdict.blame import Blame
from diagnose.verdict.collectives import Stuck
from diagnose.verdict.survival import Survival
from diagnose.verdict.suspects import Suspect
from diagnose.verdict.topology import Topology, Who
from diagnose.verdict.wording import fill, fill_command


@dataclass
class Words:
    """The parts of the answer that are prose."""

    category: str
    signature: str | None
    title: str
    why: str
    fix: list[Advice]
    next_time: list[str]
    action: Action
    transient: Transient


@dataclass
class Scene:
    """What the predicates of a fix may ask about."""

    facts: Facts
    suspects: list[Suspect]
    topology: Topology
    survival: Survival


def advise(root: Suspect, blame: Blame, stuck: Stuck, scene: Scene, catalogue: Catalogue) -> Words:
    """Words for a root cause of whatever tier."""
    values = _values(root, blame)
    if root.tier == "crash":
        return _of_exit(root, values, catalogue)
    signature = root.signature
    assert signature is not None
    category, title = signature.category, fill(signature.title, values)
    if stuck.mismatch:
        category = "collective-mismatch"
        title = f"Ranks ran different collectives at SeqNum {values.get('seq', '?')}"
        return Words(
            category, signature.id, title, _MISMATCH_WHY, _MISMATCH_FIX, signature.next_time, "fix", "unlikely"
        )
    if stuck.absent or stuck.lagging:
        title += " - " + _missing(stuck)
    steps = [step for step in signature.fix if step.when is None or _applies(step.when, root, scene)]
    return Words(
        category=category,
        signature=signature.id,
        title=title,
        why=fill(signature.why, values),
        fix=_steps(steps, values),
        next_time=[fill(text, values) for text in signature.next_time],
        action=signature.action or _category_action(category, catalogue),
        transient=signature.transient,
    )


_MISMATCH_WHY = (
    "At the same sequence number some ranks issued one collective and another rank a different one, or one of another "
    "size. The ranks took different code paths, so each waits for a partner that never comes."
)
_MISMATCH_FIX = [
    Advice("Make every rank issue the same collectives in the same order: look for a branch on the rank, an early exit, uneven batches or a last batch that only some ranks see."),
    Advice("Run once more with TORCH_DISTRIBUTED_DEBUG=DETAIL, which checks every collective and names the code path that diverges.", "export TORCH_DISTRIBUTED_DEBUG=DETAIL"),
]  # fmt: skip


def _missing(stuck: Stuck) -> str:
    ranks, how = (stuck.absent, "missing") if stuck.absent else (stuck.lagging, "behind")
    listed = ", ".join(map(str, ranks[:8])) + (" …" if len(ranks) > 8 else "")
    return f"rank {listed} is {how}" if len(ranks) == 1 else f"ranks {listed} are {how}"


def _values(root: Suspect, blame: Blame) -> dict[str, str]:
    values = dict(root.event.captures) if root.event else {}
    rank = blame.rank if isinstance(blame.rank, int) else root.who.rank
    node = blame.node or root.who.node
    if rank is not None and blame.rank != "all":
        values.setdefault("rank", str(rank))
    if node:
        values.setdefault("node", node)
    values["who"] = (
        "all ranks"
        if blame.rank == "all"
        else str(Who(blame.rank, node))
        if blame.rank is not None
        else str(Who(root.who.rank if root.tier == "symptom" else None, node))
    )
    if blame.rank is None and root.tier == "cause" and root.signature and root.signature.blames == "self":
        values.pop("rank", None)
    if root.likes and blame.rank is None:
        values["who"] = f"several ranks on {node}" if node else "several ranks"
    return values


def _of_exit(root: Suspect, values: Mapping[str, str], catalogue: Catalogue) -> Words:
    ending = root.ending
    assert ending is not None
    row = exit_row(catalogue, ending.code, ending.stated.reporter)
    how = f"was ended by {ending.signal}" if ending.signal else f"ended with exit code {ending.code}"
    category = row.get("category", "unknown")
    fixes = [FixStep(step["do"], step.get("run")) for step in row.get("fix", [])]
    return Words(
        category=category,
        signature=None,
        title=f"{values['who'][0].upper()}{values['who'][1:]} {how}, and the log does not say why",
        why=fill(row.get("why", "") or row.get("meaning", ""), values),
        fix=_steps(fixes, values),
        next_time=[fill(text, values) for text in row.get("next_time", [])],
        action=row.get("action") or _category_action(category, catalogue),
        transient=row.get("transient", "unknown"),
    )


def exit_row(catalogue: Catalogue, code: int | None, reporter: str | None) -> Row:
    """The row of the exit-code table: what the code means where this reporter prints it, else in general."""
    if code is None:
        return {}
    return (
        catalogue.tables.row("exit_codes.yaml", f"{reporter}:{code}")
        or catalogue.tables.row("exit_codes.yaml", str(code))
        or catalogue.tables.row("exit_codes.yaml", "other")
        or {}
    )


def _category_action(category: str, catalogue: Catalogue) -> Action:
    action: Action = catalogue.tables.categories[category]["action"]
    return action


def _steps(steps: list[FixStep], values: Mapping[str, str]) -> list[Advice]:
    return [Advice(fill(step.do, values), fill_command(step.run, values)) for step in steps]


def _applies(when: When, root: Suspect, scene: Scene) -> bool:
    """Whether a step's circumstances hold. What cannot be decided does not exclude it, except ``saw``."""
    if when.saw is not None and not _saw(when, root, scene):
        return False
    if when.silent == "peer":
        peer = root.event.captures.get("peer") if root.event else None
        if any(
            str(suspect.who.rank) == peer
            for suspect in scene.suspects
            if suspect is not root and suspect.tier == "cause"
        ):
            return False
    if when.span is not None and not _spans(when.span, root, scene.topology):
        return False
    if when.phase is not None:
        started = bool(scene.survival.steps)
        return started == (when.phase == "after-first-step")
    return True


def _saw(when: When, root: Suspect, scene: Scene) -> bool:
    for event in scene.facts.events:
        if when.saw not in (event.signature.id, event.category) or event is root.event:
            continue
        who = scene.topology.who(event.line, event.captures)
        if when.on == "self" and who.rank != root.who.rank:
            continue
        if when.on == "node" and who.node != root.who.node:
            continue
        if when.on == "peer" and root.event and str(who.rank) != root.event.captures.get("peer"):
            continue
        return True
    return False


def _spans(span: str, root: Suspect, topology: Topology) -> bool:
    """Whether the complaints stay on one node or cross to another; undecided counts as yes."""
    peer = whole_number(root.event.captures.get("peer")) if root.event else None
    if peer is None:
        return True
    home = topology.node_of_rank.get(peer)
    complaining = {suspect.who.node for suspect in [root, *root.likes]}
    if home is None or None in complaining:
        return True
    return (home not in complaining) == (span == "cross-node")
