"""Lines -> matches: which signature says something about which line, and with which captures.

Literals first (one engine pass over the joined text), then each owner's own pattern on the single line; `unless`,
`needs` and `table` are evaluated here, and a `benign` match vetoes its line unless it stands in a traceback.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import msgspec

from diagnose.events.lines import Line
from diagnose.events.tracebacks import CutOff, Link, Raised
from diagnose.model import ExceptionMatch, Need, Signature
from diagnose.scan import Engine, hits_in
from diagnose.signatures import Catalogue, Marker, search

FALLBACK = "python-exception"
"""The signature of an uncaught exception that no other signature knows."""

CUT_OFF = "traceback-cut-off"
"""The signature of a stream that ends inside a traceback."""


@dataclass(slots=True)
class Match:
    """A signature found on a line. ``signature`` already carries what its table row overrides."""

    signature: Signature
    line: Line
    captures: dict[str, str] = field(default_factory=dict)
    raised: Raised | None = None
    link: Link | None = None


@dataclass(slots=True)
class Mark:
    """A marker found on a line: a step done, a success, a launch …"""

    marker: Marker
    line: Line
    captures: dict[str, str]


@dataclass
class Recognised:
    """Everything found in the lines, in their order."""

    matches: list[Match]
    marks: list[Mark]


@dataclass
class Text:
    """The lines of all windows with their streams and exceptions; ``unfinished`` and ``code`` as in ``Traced``."""

    lines: list[Line]
    streams: list[list[Line]]
    raised: list[Raised] = field(default_factory=list)
    unfinished: list[CutOff] = field(default_factory=list)
    code: set[int] = field(default_factory=set)
    stream_of: dict[int, tuple[list[Line], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for stream in self.streams:
            for place, line in enumerate(stream):
                self.stream_of[id(line)] = (stream, place)


def recognise(text: Text, catalogue: Catalogue, engine: Engine) -> Recognised:
    """All matches and marks; on one line or traceback only the most specific signatures."""
    by_line: dict[int, list[Match]] = defaultdict(list)
    marks: list[Mark] = []
    for found_on_line in _on_lines(text, catalogue, engine):
        if isinstance(found_on_line, Mark):
            marks.append(found_on_line)
        else:
            by_line[id(found_on_line.line)].append(found_on_line)
    for match in [*_on_exceptions(text, catalogue), *_on_cut_off(text, catalogue)]:
        by_line[id(match.line)].append(match)
    in_traceback = {id(link.line) for raised in text.raised for link in raised.links}
    _attach_exceptions(text, by_line)
    found: list[Match] = []
    for line in text.lines:
        matches = by_line.get(id(line))
        if matches:
            found += _most_specific(matches, catalogue, id(line) in in_traceback)
    return Recognised(found, marks)


def _on_lines(text: Text, catalogue: Catalogue, engine: Engine) -> Iterable[Match | Mark]:
    hits = hits_in([line.text for line in text.lines], engine)
    for index, found in groupby(hits, key=lambda hit: hit[0]):
        line = text.lines[index]
        if line.index in text.code:
            continue
        asked: dict[str, set[int]] = defaultdict(set)
        for _, literal in found:
            for owner, number in catalogue.literals[literal].owners:
                asked[owner].add(number)
        yield from _marks(line, [catalogue.markers[owner] for owner in asked if owner in catalogue.markers])
        for owner, numbers in asked.items():
            if owner not in catalogue.markers:
                hopeful = [number for number in sorted(numbers) if catalogue.may_match((owner, number), line.text)]
                match = match_line(catalogue[owner], hopeful, line, text, catalogue) if hopeful else None
                if match is not None:
                    yield match


def _marks(line: Line, markers: list[Marker]) -> Iterable[Mark]:
    """What the markers say of a line; the general ones of a kind are asked only where no other of it holds."""
    told: set[str] = set()
    for marker in sorted(markers, key=lambda marker: marker.general):
        if marker.general and marker.kind in told:
            continue
        groups = marker.found_in(line.text)
        if groups is not None:
            told.add(marker.kind)
            yield Mark(marker, line, _captures(groups))


def match_line(
    signature: Signature, numbers: Iterable[int], line: Line, text: Text, catalogue: Catalogue
) -> Match | None:
    """The signature on one line, by those of its patterns whose literals are there; None where it does not hold."""
    for number in numbers:
        found = search(signature.match[number], line.text)
        if found is None:
            continue
        if any(search(veto, line.text) is not None for veto in signature.unless):
            return None
        captures = _captures(found)
        if not _add_needs(signature.needs, line, text, captures):
            return None
        return _with_row(signature, line, captures, catalogue)
    return None


def _captures(groups: dict[str, bytes]) -> dict[str, str]:
    return {name: value.decode("utf-8", "replace").strip() for name, value in groups.items() if value}


def _add_needs(needs: Sequence[Need], line: Line, text: Text, captures: dict[str, str]) -> bool:
    """Look for the other lines; False where a required one is missing. Their groups become captures."""
    stream, place = text.stream_of[id(line)]
    for need in needs:
        reach = int(need.lines)
        if need.where == "same":
            candidates = [line]
        elif need.where == "after":
            candidates = stream[place + 1 : place + 1 + reach]
        else:
            candidates = stream[max(0, place - reach) : place][::-1]
        groups = next((found for other in candidates if (found := search(need.pattern, other.text)) is not None), None)
        if groups is None and need.required == "yes":
            return False
        for name, value in _captures(groups or {}).items():
            captures.setdefault(name, value)
    return True


def _with_row(signature: Signature, line: Line, captures: dict[str, str], catalogue: Catalogue) -> Match:
    table = signature.table
    row = catalogue.tables.row(table.file, captures.get(table.key, "")) if table else None
    if row:
        known = {name: value for name, value in row.items() if name in _OVERRIDES}
        if "fix" in known:
            known["fix"] = msgspec.convert(known["fix"], _OVERRIDES["fix"])
        signature = msgspec.structs.replace(signature, **known)
    return Match(signature, line, captures)


_OVERRIDES = {
    info.name: info.type
    for info in msgspec.structs.fields(Signature)
    if info.name in ("title", "category", "role", "why", "fix", "action", "transient")
}


def _on_exceptions(text: Text, catalogue: Catalogue) -> Iterable[Match]:
    for raised in text.raised:
        for place, link in enumerate(raised.links):
            for signature in catalogue.of_exceptions:
                assert signature.exception is not None
                if signature.id in (FALLBACK, CUT_OFF) or not _is_picked(signature.exception, place, len(raised.links)):
                    continue
                groups = match_exception(signature.exception, link)
                if groups is None or any(search(veto, link.line.text) is not None for veto in signature.unless):
                    continue
                captures = _captures(groups)
                if _add_needs(signature.needs, link.line, text, captures):
                    match = _with_row(signature, link.line, captures, catalogue)
                    match.raised, match.link = raised, link
                    yield match
        if FALLBACK in catalogue.signatures:
            for link in raised.links:
                captures = {"type": link.type, "message": link.message.split("\n")[0]}
                yield Match(catalogue[FALLBACK], link.line, captures, raised, link)


def _on_cut_off(text: Text, catalogue: Catalogue) -> Iterable[Match]:
    if CUT_OFF in catalogue.signatures:
        for cut in text.unfinished:
            path, _, function = cut.frame.rpartition(":")
            yield Match(catalogue[CUT_OFF], cut.line, {"path": path, "function": function})


def _is_picked(exception: ExceptionMatch, place: int, links: int) -> bool:
    return exception.pick == "any" or place == (0 if exception.pick == "first" else links - 1)


def match_exception(exception: ExceptionMatch, link: Link) -> dict[str, bytes] | None:
    """Named groups where type, message and frame all hold; None otherwise."""
    groups: dict[str, bytes] = {}
    for pattern, subjects in (
        (exception.type and rf"^(?:.*\.)?(?:{exception.type})$", [link.type]),
        (exception.message, _readings(link.message)),
        (exception.frame, ["\n".join(link.frames)]),
    ):
        if pattern:
            found = next((got for text in subjects if (got := search(pattern, text.encode())) is not None), None)
            if found is None:
                return None
            groups.update(found)
    return groups


def _readings(message: str) -> list[str]:
    """A message as printed, and as it was if a launcher cut its lines or a terminal wrapped them."""
    return [message, message.replace("\n", ""), message.replace("\n", " ")] if "\n" in message else [message]


def _attach_exceptions(text: Text, by_line: dict[int, list[Match]]) -> None:
    """A line pattern that matched an exception's line knows the traceback, too."""
    for raised in text.raised:
        for link in raised.links:
            for match in by_line.get(id(link.line), ()):
                match.raised, match.link = raised, link


def _most_specific(matches: list[Match], catalogue: Catalogue, in_traceback: bool) -> list[Match]:
    if not in_traceback and any(match.signature.role == "benign" for match in matches):
        return [match for match in matches if match.signature.role in ("benign", "context")]
    general: set[str] = set()
    for match in matches:
        general.update(catalogue.general_than(match.signature.id))
    kept = [match for match in matches if match.signature.id not in general]
    if any(_knows_better(match) for match in kept):
        kept = [match for match in kept if match.signature.id != FALLBACK]
    return kept


def _knows_better(match: Match) -> bool:
    """Whether a match replaces the signature of an exception that nobody knows."""
    signature = match.signature
    return signature.id != FALLBACK and (
        signature.exception is not None or signature.role in ("cause", "symptom", "exit")
    )
