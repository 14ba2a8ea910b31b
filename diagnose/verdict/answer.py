"""Facts in, answer out: the reasoning from the top, one step a line."""

from __future__ import annotations

from collections.abc import Set

from diagnose.events import Facts, Line
from diagnose.model import (
    Alternative,
    Cascade,
    Cause,
    Diagnosis,
    Exit,
    FirstFailure,
    Job,
    Stats,
    Tool,
)
from diagnose.signatures import Catalogue
from diagnose.verdict.advice import Scene, Words, advise, exit_row
from diagnose.verdict.attempts import Attempts
from diagnose.verdict.blame import Blame, assign_blame
from diagnose.verdict.causality import find_root, without_followers
from diagnose.verdict.collectives import Stuck, examine_collectives
from diagnose.verdict.confidence import judge
from diagnose.verdict.deaths import Ending, merge_endings
from diagnose.verdict.evidence import best_evidence
from diagnose.verdict.experts import note_on_experts
from diagnose.verdict.healthy import judge_without_root, teardown_noise
from diagnose.verdict.incidents import tell_incidents
from diagnose.verdict.job import describe_job
from diagnose.verdict.order import Order
from diagnose.verdict.story import shown, sum_cascade, tell_evidence, tell_story
from diagnose.verdict.survival import Survival
from diagnose.verdict.suspects import Suspect, gather_suspects
from diagnose.verdict.timeline import tell_timeline
from diagnose.verdict.topology import Topology, learn_topology

MOST_ALTERNATIVES = 5


def answer(
    facts: Facts,
    names: list[str],
    catalogue: Catalogue,
    tool: Tool,
    stats: Stats,
    notes: list[str],
    good: Set[str] = frozenset(),
) -> Diagnosis:
    """Reason about one job.

    ``names`` are the files' names, ``notes`` what could not be read of them, ``good`` the templates of a good log.
    """
    topology = learn_topology(facts)
    order = Order(facts)
    endings = merge_endings(facts, topology, order)
    attempts = Attempts(facts, order)
    survival = Survival(facts, order, attempts, [ending.first.line for ending in endings if not ending.torn_down])
    endings = [ending for ending in endings if not survival.was_restarted(ending.first.line)]
    suspects = gather_suspects(facts, topology, survival, order)
    root = find_root(suspects, endings, facts, topology, order)
    job = describe_job(facts, topology, survival)
    if root is not None and teardown_noise(root, endings, survival):
        notes = [
            *notes,
            f"line {root.line.number} and what follows are noise of the teardown: the training had finished",
        ]
        root = None
    if root is None:
        return _without_root(facts, survival, job, tool, stats, notes, suspects)
    stuck = _stuck(root, facts, suspects, topology)
    if stuck.odd is not None:
        root.line = stuck.odd.line
    blame = assign_blame(root, stuck, without_followers(endings, suspects), topology, order)
    success = survival.success_before(root.line)
    if root.from_outside and success is not None:
        blame.ending = None  # the training had ended well before
    if _others_were_cut_off(root, facts, topology):
        blame.rank = None
    words = advise(root, blame, stuck, Scene(facts, suspects, topology, survival), catalogue)
    notes = [*notes, *note_on_experts(facts, words.category)]
    confidence, reasons = judge(root, blame, stuck, endings, suspects)
    if success is not None:
        notes = [
            *notes,
            f"line {success.line.number} says that the training had finished; this happened afterwards, in the teardown",
        ]
    story = tell_story(root, suspects, endings, topology, order, names)
    if words.category == "unknown":
        story += [tell_evidence(line, topology.who(line), names) for line in best_evidence(facts, good)]
    return Diagnosis(
        tool=tool,
        verdict="failed",
        category=words.category,
        signature=words.signature,
        title=words.title,
        confidence=confidence,
        confidence_reasons=reasons,
        cause=_cause(root, blame, names),
        first_failure=_first_failure(root.line, blame),
        exit=_exit(blame.ending, names, catalogue),
        why=words.why,
        fix=words.fix,
        next_time=words.next_time,
        action=words.action,
        transient=words.transient,
        exclude_nodes=_exclude(words, blame),
        story=story,
        cascade=sum_cascade(root, suspects, endings),
        absent_ranks=stuck.absent,
        lagging_ranks=stuck.lagging,
        alternatives=_alternatives(root, suspects),
        job=job,
        slurm=None,
        timeline=tell_timeline(facts, survival, root, names),
        incidents=tell_incidents(facts, survival, suspects, root, "failed", words.category),
        notes=notes,
        stats=stats,
    )


def _stuck(root: Suspect, facts: Facts, suspects: list[Suspect], topology: Topology) -> Stuck:
    if root.tier != "symptom" and root.category not in ("collective-timeout", "collective-mismatch"):
        return Stuck([], [])
    return examine_collectives(facts, topology, [root, *(other for other in suspects if other is not root)])


def _others_were_cut_off(root: Suspect, facts: Facts, topology: Topology) -> bool:
    """Whether another rank was in the middle of a traceback when the log ends: it may have failed first."""
    if root.tier != "cause" or root.who.rank is None:
        return False
    ranks = {topology.who(cut.line).rank for cut in facts.text.unfinished}
    return bool(ranks - {root.who.rank, None})


def _cause(root: Suspect, blame: Blame, names: list[str]) -> Cause:
    rank = blame.rank if root.tier == "crash" else root.who.rank if not root.likes else blame.rank
    return Cause(
        file=names[root.line.file],
        line=root.line.number,
        text=shown(root.line),
        rank=rank,
        node=root.who.node or blame.node,
        time=root.line.clock.iso if root.line.clock else None,
    )


def _first_failure(line: Line, blame: Blame) -> FirstFailure:
    ending = blame.ending
    own = ending is not None and (isinstance(blame.rank, int) and blame.rank in ending.ranks)
    clock = line.clock
    return FirstFailure(
        rank=blame.rank,
        local_rank=blame.local_rank if blame.local_rank is not None else ending.local_rank if own and ending else None,
        node=blame.node,
        pid=blame.pid or (ending.pid if own and ending else None),
        time=clock.iso if clock else None,
        exit_code=ending.code if ending else None,
        signal=ending.signal if ending else None,
    )


def _exit(ending: Ending | None, names: list[str], catalogue: Catalogue) -> Exit:
    if ending is None or ending.code is None:
        return Exit()
    report = ending.stated
    row = exit_row(catalogue, ending.code, report.reporter)
    return Exit(
        code=ending.code,
        signal=ending.signal,
        meaning=row.get("meaning"),
        reporter=report.reporter,
        file=names[report.line.file],
        line=report.line.number,
    )


def _exclude(words: Words, blame: Blame) -> list[str]:
    return [blame.node] if words.action == "resubmit-excluding-node" and blame.node else []


def _alternatives(root: Suspect, suspects: list[Suspect]) -> list[Alternative]:
    found: dict[str, Alternative] = {}
    for suspect in suspects:
        if suspect is root or suspect in root.likes or suspect.name == root.name or suspect.tier == "symptom":
            continue
        because = suspect.lost or "weaker evidence"
        found.setdefault(suspect.name, Alternative(suspect.name, suspect.category, suspect.line.number, because))
    return list(found.values())[:MOST_ALTERNATIVES]


def _without_root(
    facts: Facts,
    survival: Survival,
    job: Job,
    tool: Tool,
    stats: Stats,
    notes: list[str],
    suspects: list[Suspect],
) -> Diagnosis:
    judged = judge_without_root(facts, survival)
    return Diagnosis(
        tool=tool,
        verdict=judged.verdict,
        category=judged.category,
        signature=None,
        title=judged.title,
        confidence=judged.confidence,
        confidence_reasons=judged.reasons,
        cause=Cause(),
        first_failure=FirstFailure(),
        exit=Exit(),
        why=judged.why,
        fix=judged.fix,
        next_time=[],
        action="none" if judged.verdict == "ok" else "fix",
        transient="unknown",
        exclude_nodes=[],
        story=[],
        cascade=Cascade(),
        absent_ranks=[],
        lagging_ranks=[],
        alternatives=[Alternative(s.name, s.category, s.line.number, s.lost or "") for s in suspects if s.lost][
            :MOST_ALTERNATIVES
        ],
        job=job,
        slurm=None,
        timeline=[],
        incidents=tell_incidents(facts, survival, suspects, None, judged.verdict, judged.category),
        notes=notes,
        stats=stats,
    )
