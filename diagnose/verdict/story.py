"""The story: from the cause to the consequences, folded to a dozen lines however many ranks tell it."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from diagnose.events import Line
from diagnose.model import Cascade, StoryLine
from diagnose.verdict.deaths import Ending
from diagnose.verdict.order import Order
from diagnose.verdict.suspects import Suspect
from diagnose.verdict.topology import Topology, Who
from diagnose.verdict.wording import fill, visible

MOST_LINES = 12
LONGEST_EVIDENCE = 200

StoryRole = Literal["cause", "consequence", "exit", "context"]


def tell_story(
    root: Suspect, suspects: list[Suspect], endings: list[Ending], topology: Topology, order: Order, names: list[str]
) -> list[StoryLine]:
    """The cause, then each kind of consequence once with how many ranks it met, then how the processes ended."""
    story = [_line(root.line, shown(root.line), "cause", names, root.who.rank, root.who.node)]
    groups: dict[str, list[Suspect]] = defaultdict(list)
    for suspect in suspects:
        if suspect is root or suspect in root.likes or not _is_consequence(suspect):
            continue
        groups[suspect.name].append(suspect)
    rows = [(order.key(group[0].line), _consequence(group, names)) for group in groups.values()]
    by_code: dict[object, list[Ending]] = defaultdict(list)
    for ending in endings:
        if ending is root.ending:
            continue
        by_code[ending.code, ending.signal, ending.launcher].append(ending)
    rows += [(order.key(group[0].first.line), _exit(group, topology, names)) for group in by_code.values()]
    rows.sort(key=lambda row: row[0])
    return story + [row for _, row in rows[: MOST_LINES - 1]]


def tell_evidence(line: Line, who: Who, names: list[str]) -> StoryLine:
    """A line that no signature knows, but that a person would look at."""
    return _line(line, "worth a look: " + shown(line)[:LONGEST_EVIDENCE], "context", names, who.rank, who.node)


def sum_cascade(root: Suspect, suspects: list[Suspect], endings: list[Ending]) -> Cascade:
    """How far the failure spread: consequences, and the ranks and nodes that they met."""
    followers = [
        suspect
        for suspect in suspects
        if suspect is not root and suspect not in root.likes and _is_consequence(suspect)
    ]
    ranks = {suspect.who.rank for suspect in followers if suspect.who.rank is not None}
    nodes = {suspect.who.node for suspect in followers if suspect.who.node}
    for ending in endings:
        ranks.update(ending.ranks)
        nodes.update(ending.nodes)
    return Cascade(len(followers), sorted(ranks - {root.who.rank}), sorted(nodes))


def shown(line: Line) -> str:
    """A line as text, without control characters."""
    return visible(line.shown.decode("utf-8", "replace")).strip()


def _is_consequence(suspect: Suspect) -> bool:
    return suspect.lost is not None and not suspect.lost.startswith(
        ("the training went on", "the exception was caught")
    )


def _consequence(group: list[Suspect], names: list[str]) -> StoryLine:
    first = group[0]
    ranks = {suspect.who.rank for suspect in group if suspect.who.rank is not None}
    title = fill(first.signature.title, _values(first)) if first.signature else shown(first.line)
    head = f"{len(ranks)} ranks: " if len(ranks) > 1 else f"{len(group)} lines: " if len(group) > 1 else ""
    rank = first.who.rank if len(ranks) <= 1 else None
    return _line(first.line, head + title, "consequence", names, rank, first.who.node if len(ranks) <= 1 else None)


def _values(suspect: Suspect) -> dict[str, str]:
    captures = dict(suspect.event.captures) if suspect.event else {}
    return {**captures, "who": str(suspect.who)}


def _exit(group: list[Ending], topology: Topology, names: list[str]) -> StoryLine:
    ranks = sorted({rank for ending in group for rank in ending.ranks})
    tasks = sorted({task for ending in group for task in ending.tasks})
    first = group[0]
    how = (
        f"by {first.signal}"
        if first.signal
        else f"with exit code {first.code}"
        if first.code is not None
        else "with a failure"
    )
    count = max(len(ranks), len(tasks), len(group))
    kind = ("launcher", "launchers") if first.launcher else ("process", "processes")
    whom = f"rank {ranks[0]}" if len(ranks) == 1 and not first.launcher else f"{count} {kind[count > 1]}"
    rank = ranks[0] if len(ranks) == 1 else None
    return _line(first.first.line, f"{whom} ended {how}", "exit", names, rank, first.node)


def _line(line: Line, text: str, role: StoryRole, names: list[str], rank: int | None, node: str | None) -> StoryLine:
    time = line.clock.iso if line.clock else None
    return StoryLine(time, rank, node, names[line.file], line.number, text, role)
