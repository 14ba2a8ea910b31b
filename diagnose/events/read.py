"""Windows in, facts out: the second pass as a table of contents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from diagnose.events.elastic import read_reports
from diagnose.events.exits import deaths_of
from diagnose.events.facts import Collective, Death, Event, Facts
from diagnose.events.hosts import unify_hosts
from diagnose.events.numbers import COUNT_DIGITS, whole_number
from diagnose.events.recognise import FALLBACK, Match, recognise
from diagnose.events.tracebacks import Raised
from diagnose.events.understand import Windows, understand
from diagnose.logs import Writer
from diagnose.scan import Engine
from diagnose.signatures import Catalogue

_GROUP_TAG = re.compile(rb"\[PG (?:ID )?(?P<group>\S+)[^\]]* Rank \d+\]|\[Rank (?P<rank>\d+)\]")


def read_facts(files: Iterable[Windows], catalogue: Catalogue, engine: Engine, writers: Sequence[Writer] = ()) -> Facts:
    """Understand the windows of each file (and who wrote it) and collect what they say."""
    text = understand(files, catalogue, engine, writers)
    found = recognise(text, catalogue, engine)
    facts = Facts(text, marks=found.marks)
    facts.events = _events(found.matches)
    reports = read_reports(text.streams)
    _attribute_to_reports(facts.events, reports)
    facts.deaths = [*deaths_of(facts.events), *reports]
    facts.deaths.sort(key=lambda death: death.line.index)
    unify_hosts(facts)
    facts.collectives = [_collective(event) for event in facts.events if event.signature.emits == "collective"]
    return facts


def _attribute_to_reports(events: Sequence[Event], reports: Sequence[Death]) -> None:
    """A traceback inside a torchelastic report was raised by the rank that the entry names."""
    owners = {index: death for death in reports for index in death.told_in}
    for event in events:
        death = owners.get(event.line.index)
        if death is not None and death.ranks:
            event.captures.setdefault("rank", str(death.ranks[0]))
            if death.node:
                event.captures.setdefault("node", death.node)


def _events(matches: Sequence[Match]) -> list[Event]:
    """One event for each match, but one for each chain of exceptions."""
    events = []
    chains: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        if match.raised is not None and match.signature.role in ("cause", "symptom", "exit"):
            chains[id(match.raised)].append(match)
        else:
            events.append(Event(match.signature, match.line, match.captures))
    for links in chains.values():
        raised = links[0].raised
        assert raised is not None
        chosen = _cause_of_chain(raised, links)
        if raised.rank is not None:
            chosen.captures["rank"] = str(raised.rank)
        evidence = [match.line for match in links if match is not chosen]
        events.append(Event(chosen.signature, chosen.line, chosen.captures, raised, evidence))
    events.sort(key=lambda event: (event.line.file, event.line.index))
    return events


def _cause_of_chain(raised: Raised, links: list[Match]) -> Match:
    """Which exception of a chain is the cause.

    A known cause beats a known symptom beats an unknown exception. Among equals: the original exception of a wrapper
    ("Original Traceback", "direct cause") over the one that wraps it, otherwise the one that was not caught.
    """

    def rank(match: Match) -> int:
        if match.signature.id == FALLBACK:
            return 3
        if match.signature.role == "cause":
            return 0 if match.signature.category != "python-error" else 1
        return 2

    best = min(rank(match) for match in links)
    equals = [match for match in links if rank(match) == best]
    if "original" in raised.joins:
        return equals[-1] if best == 0 else [match for match in links if match.link is raised.links[-1]][-1]
    return equals[0] if best == 0 or "cause" in raised.joins else equals[-1]


def _collective(event: Event) -> Collective:
    captures = event.captures
    tag = _GROUP_TAG.search(event.line.text)
    rank = event.line.label.rank
    if rank is None and tag and tag.group("rank"):
        rank = whole_number(tag.group("rank"))
    return Collective(
        line=event.line,
        rank=rank,
        group=captures.get("group") or (tag.group("group").decode() if tag and tag.group("group") else None),
        seq=whole_number(captures.get("seq"), COUNT_DIGITS, signed=True),
        op=captures.get("op"),
        numel=whole_number(captures.get("numel"), COUNT_DIGITS, signed=True),
        enqueued=whole_number(captures.get("enqueued"), COUNT_DIGITS, signed=True),
        completed=whole_number(captures.get("completed"), COUNT_DIGITS, signed=True),
        timed_out="elapsed_ms" in captures or "timeout_ms" in captures,
    )
