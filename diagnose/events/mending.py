"""Lines that a launcher or a terminal cut in two -> whole lines again.

    0: torch.OutOfMemoryError: CUDA out of mem         srun --label ends every partial write with a newline and puts
    0: ory. Tried to allocate 2.00 GiB                 its label in front of the rest
    OutOfMemoryError: CUDA out of memory. GPU 2 has a  rich and mail programs wrap between words at 80 columns,
    total capacity of 15.78 GiB of which ...           terminals at their width, wherever that is

Nothing tells a cut line from a whole one, so a cut is mended only where words that are known lie across it: a signature's
pattern, the exception that a signature names, or the head of a traceback, a frame or an exception must hold for the two
lines together, but for neither alone, nor with anything put between them. A cut inside a part that may be anything (``.*``) stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from diagnose.events.labels import Label
from diagnose.events.lines import Line
from diagnose.model import ExceptionMatch
from diagnose.scan import Engine, hits_in
from diagnose.signatures import Catalogue, search

WRAP_COLUMNS = 80
"""Where rich wraps what it does not print to a terminal."""

NARROWEST_TERMINAL = 60
REACH_BYTES = 160
"""What is looked at on each side of a cut before whole lines are."""

_APART = (b"\0", b"\n")
"""What may not stand at a cut: a word goes across it, or a space that is more than the end of a line."""

_STRUCTURE = re.compile(
    rb'Traceback \(most recent call last\)|^ *File "[^"\0]*", line \d+|^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt)(?:: |:?$)'
)
_NAME_BEGINS = re.compile(rb"(?:[A-Za-z_]\w*\.)*[A-Z]\w*")
_NAME_ENDS = re.compile(rb"(\w+)(?:: |:?$)")
_EXCEPTION = re.compile(rb"(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*): (?P<message>.*)", re.DOTALL)
_BEGINS = re.compile(rb"Traceback |  |srun: |slurmstepd|[\[IWEF]{0,2}\d{4}[- /]")
"""How lines begin that are no second halves."""

_TABLE_ENDS = b"|=-*#+_\x82\xae\xaf"
"""The last bytes of rules and tables, those of box-drawing characters in UTF-8 included."""


def mend(lines: Sequence[Line], catalogue: Catalogue, engine: Engine) -> list[Line]:
    """Put halves of lines together: the first half carries the whole text, the other one is gone."""
    cuts = list(_possible_cuts(lines))
    if not cuts:
        return list(lines)
    broken = {id(first): (second, joint) for first, second, joint in _real_cuts(cuts, catalogue, engine)}
    gone: set[int] = set()
    for line in lines:
        if id(line) in gone:
            continue
        last = line
        while id(last) in broken:
            last, joint = broken[id(last)]
            gone.add(id(last))
            line.text += joint + last.text
            line.shown += joint + last.text
    return [line for line in lines if id(line) not in gone]


Cut = tuple[Line, Line, bytes]


def _possible_cuts(lines: Sequence[Line]) -> Iterator[Cut]:
    """Neighbours of one writer that may be halves of one line, with what a wrap took away between them."""
    width = max((len(line.shown) for line in lines), default=0)
    last: dict[object, Line] = {}
    for line in lines:
        writer = line.file, line.label.task if line.label.task is not None else line.label.stream
        first = last.get(writer)
        last[writer] = line
        if first is None or not first.text or not line.text.strip() or _BEGINS.match(line.text):
            continue
        if _is_labelled(line.label):
            yield first, line, b""
        elif line.number == first.number + 1 and first.text[-1] not in _TABLE_ENDS:
            word = len(line.text.split(None, 1)[0])
            if len(first.shown) <= WRAP_COLUMNS < len(first.shown) + 1 + word and not line.text[:1].isspace():
                yield first, line, b"" if first.text.endswith(b" ") else b" "
            elif len(first.shown) == width >= NARROWEST_TERMINAL:
                yield first, line, b""


def _is_labelled(label: Label) -> bool:
    return label.task is not None or label.rank is not None or label.local_rank is not None


def _real_cuts(cuts: Sequence[Cut], catalogue: Catalogue, engine: Engine) -> Iterable[Cut]:
    """Those across which something known lies."""
    parts = [first.text[-REACH_BYTES:] + joint + second.text[:REACH_BYTES] for first, second, joint in cuts]
    owners: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for place, literal in hits_in(parts, engine):
        owners[place].update(catalogue.literals[literal].owners)
    for place, (first, second, joint) in enumerate(cuts):
        whole = first.text + joint + second.text
        halves = [first.text, second.text, *(first.text + apart + second.text for apart in _APART)]
        if (_STRUCTURE.search(whole) and not any(map(_STRUCTURE.search, halves))) or _is_known_exception(
            first, second, joint, catalogue
        ):
            yield first, second, joint
            continue
        for pattern in (catalogue.pattern_of(owner) for owner in owners[place] if not catalogue.is_step(owner[0])):
            if search(pattern, whole) is not None and all(search(pattern, half) is None for half in halves):
                yield first, second, joint
                break


def _is_known_exception(first: Line, second: Line, joint: bytes, catalogue: Catalogue) -> bool:
    """Whether a signature names the exception whose name, or whose message, the two halves make together.

    A message behind equal labels is read over several lines anyway (diagnose/events/tracebacks.py).
    """
    if _NAME_BEGINS.fullmatch(first.text) and (end := _NAME_ENDS.match(second.text)):
        name = first.text + joint + end.group(1)
        return any(
            _is_type(signature.exception, name) and not _is_type(signature.exception, first.text)
            for signature in catalogue.of_exceptions
        )
    if first.label == second.label or not (begun := _EXCEPTION.match(first.text)):
        return False
    message = begun.group("message")
    halves = [message, second.text, *(message + apart + second.text for apart in _APART)]
    return any(
        _is_type(signature.exception, begun.group("type"))
        and search(pattern, message + joint + second.text) is not None
        and all(search(pattern, half) is None for half in halves)
        for signature in catalogue.of_exceptions
        if signature.exception and (pattern := signature.exception.message)
    )


def _is_type(exception: ExceptionMatch | None, name: bytes) -> bool:
    if exception is None or exception.type is None:
        return False
    return search(rf"^(?:.*\.)?(?:{exception.type})$", name) is not None
