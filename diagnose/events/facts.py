"""The typed facts of a log: events, deaths, the state of collectives. What they mean together is the verdict's task."""

from __future__ import annotations

from dataclasses import dataclass, field

from diagnose.events.clock import Clock
from diagnose.events.lines import Line
from diagnose.events.recognise import Mark, Text
from diagnose.events.tracebacks import Raised
from diagnose.model import Role, Signature


@dataclass(slots=True)
class Event:
    """One signature found on one line. ``evidence`` are further lines that say the same (links of a chain)."""

    signature: Signature
    line: Line
    captures: dict[str, str]
    raised: Raised | None = None
    evidence: list[Line] = field(default_factory=list)
    _message: str | None = None

    @property
    def role(self) -> Role:
        return self.signature.role

    @property
    def category(self) -> str:
        return self.signature.category

    @property
    def message(self) -> str:
        """The text that the line states, without what differs between ranks: numbers, addresses, paths' pids."""
        if self._message is None:
            self._message = template(self.line.plain)
        return self._message


@dataclass(slots=True)
class Death:
    """A report that processes ended. ``code`` is 128+N for signals; ``tasks`` are srun's, not yet ranks."""

    reporter: str
    line: Line
    code: int | None = None
    signal: str | None = None
    ranks: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    local_rank: int | None = None
    node: str | None = None
    nodes: tuple[str, ...] = ()
    pid: int | None = None
    clock: Clock | None = None
    root: bool = False
    stated_code: bool = False
    category: str | None = None
    """The root cause that the report itself states ("Out Of Memory"), or None for a bare exit."""
    told_in: frozenset[int] = frozenset()
    """Indices of further lines that belong to the report: an indented traceback."""


@dataclass(slots=True)
class Collective:
    """What one rank says of the state of a process group (its ID or name); not all forms carry all numbers."""

    line: Line
    rank: int | None
    group: str | None
    seq: int | None = None
    op: str | None = None
    numel: int | None = None
    enqueued: int | None = None
    completed: int | None = None
    timed_out: bool = False


@dataclass(frozen=True)
class Dump:
    """One rank's Flight Recorder dump: members of the default group, its last enqueued and completed numbers, what it ran at each."""

    rank: int
    members: tuple[int, ...]
    enqueued: int
    completed: int
    operations: dict[int, tuple[str, str]]
    """For each sequence number still in the ring buffer the operation and its input sizes."""


@dataclass
class Facts:
    """Everything that the second pass found in the windows of a log."""

    text: Text
    events: list[Event] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)
    collectives: list[Collective] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    dumps: list[Dump] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[Mark]:
        """The marks of one marker table, in order."""
        return [mark for mark in self.marks if mark.marker.kind == kind]


def template(text: bytes) -> str:
    """A line with numbers and hexadecimal words masked: equal for the same message on different ranks."""
    return "".join("#" if char.isdigit() else char for char in text.decode("utf-8", "replace")).replace("##", "#")
