"""Python tracebacks of one stream -> raised exceptions, with their chain.

    Traceback (most recent call last):                  header
      File "train.py", line 9, in main                  frame
        report['accuracy']                              source, skipped
    KeyError: 'accuracy'                                type and message

A chain ("During handling of the above exception", "direct cause", "Original Traceback" of a data loader worker, the first
of an exception group) is one
``Raised`` with several ``Link``s in printed order. A bare ``Type: message`` line without a traceback counts too, since
logs are often cut. What was logged and handled, or ignored by the interpreter, is marked ``handled``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from diagnose.events.clock import read_clock
from diagnose.events.lines import Line
from diagnose.events.numbers import whole_number

MOST_FRAMES = 200
MESSAGE_LINES = 12
LONGEST_HEAD = 120

_HEADER = re.compile(rb"^(?P<indent>.*?)(?P<original>Original )?Traceback \(most recent call last\)")
_FRAME = re.compile(
    rb'^(?P<indent>(?:\s|\||\+|\xe2\x94\x82)*)File "(?P<path>[^"]*)", line (?P<line>\d+)(?:, in (?P<function>.+))?'
)
_SUB_EXCEPTION = re.compile(rb" *\+-\+-{4,} 1 -{4,}")
_HANDLING = b"During handling of the above exception"
_CAUSE = b"The above exception was the direct cause"
_EXCEPTION = re.compile(
    rb"^(?:Uncaught exception: |Exception: (?=\w+Error)|ERROR: |Error: )?"
    rb"(?P<type>(?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Empty|Full|Timeout|TimeOut|NotFound|Failed"
    rb"|Failure|Invalid|Expired|Mismatch|Required|Unavailable|Refused|Aborted|Closed|Killed|Died)(?:_|\d)*)"
    rb"(?:: ?(?P<message>.*)|\s*)$",
    re.DOTALL,
)
_ANY_TYPE = re.compile(rb"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?(?P<message>.*)|\s*)$", re.DOTALL)
_BOX_END = re.compile(rb"^\s*\xe2\x95\xb0(?:\xe2\x94\x80)+")
_IGNORED = (b"Exception ignored in", b"--- Logging error ---", b"Error in sys.excepthook", b"Exception in callback")
_THREAD = re.compile(rb"^Exception in thread (?P<name>[^:]+)")
_RANK = re.compile(rb"Traceback \(most recent call last\): \(RANK (?P<rank>\d+)\)")
"""torch.distributed.checkpoint gathers the tracebacks of all ranks and lets each rank print them."""

_REPORT_PREFIX = re.compile(rb"^\s*traceback : ")


@dataclass(frozen=True, slots=True)
class Link:
    """One exception of a chain. ``line`` is its ``Type: message`` line; frames are ``path/file.py:function``."""

    type: str
    message: str
    line: Line
    frames: tuple[str, ...]


@dataclass(slots=True)
class Raised:
    """One traceback, or a chain of them. ``joins`` say how each link leads to the next.

    ``rank`` is whose exception it is, where that is another one than the rank that prints it.
    """

    links: list[Link]
    joins: list[Literal["handling", "cause", "original"]] = field(default_factory=list)
    header: Line | None = None
    thread: str | None = None
    handled: bool = False
    rank: int | None = None

    @property
    def lines(self) -> range:
        """Line numbers from the header to the last exception line."""
        first = (self.header or self.links[0].line).number
        return range(first, self.links[-1].line.number + 1)


@dataclass
class CutOff:
    """A stream that ends inside a traceback: its last line and the last frame that is there."""

    line: Line
    frame: str


@dataclass
class Traced:
    """What the tracebacks of one stream hold.

    ``unfinished`` are the last lines of streams that end inside a traceback; ``code`` are the indices of frames and quoted source,
    which are no messages, whatever words stand in them.
    """

    raised: list[Raised] = field(default_factory=list)
    unfinished: list[CutOff] = field(default_factory=list)
    code: set[int] = field(default_factory=set)


def read_tracebacks(stream: Sequence[Line]) -> Traced:
    """All exceptions of one stream, in order."""
    traced = Traced()
    found = traced.raised
    reader = _Reader(stream, traced)
    while reader.at < len(stream):
        raised = reader.next()
        if raised is None:
            continue
        if reader.joined and found and found[-1].links:
            found[-1].links += raised.links
            found[-1].joins.append(reader.joined)
        else:
            found.append(raised)
        reader.joined = reader.join_behind()
    return traced


class _Reader:
    """Walks over one stream. ``joined`` says how the exception just read is joined to the next one."""

    def __init__(self, stream: Sequence[Line], traced: Traced) -> None:
        self.stream = stream
        self.traced = traced
        self.at = 0
        self.joined: Literal["handling", "cause", "original"] | None = None

    def next(self) -> Raised | None:
        """Read one exception if one begins here; otherwise step over the line."""
        line = self.stream[self.at]
        text = line.plain
        if b"Traceback (most recent call last)" in text and (header := _HEADER.match(text)):
            return self._traceback(line, header)
        if _BOX_END.match(text) and self.at + 1 < len(self.stream):
            self.at += 1
            return self._bare(self.stream[self.at])
        return self._bare(line)

    def _bare(self, line: Line) -> Raised | None:
        self.at += 1
        found = _EXCEPTION.match(line.plain)
        if found is None:
            return None
        link = self._link(found, line, ())
        return Raised([link], header=None, handled=self._is_handled(self.at - 2), thread=self._thread(self.at - 2))

    def _traceback(self, header_line: Line, header: re.Match[bytes]) -> Raised | None:
        start = self.at
        prefix = header.group("indent")
        indent = 2 if _REPORT_PREFIX.match(prefix) else len(prefix) if not prefix.strip() else 0
        frames: list[str] = []
        head = _head_of(prefix)
        self.at += 1
        while self.at < len(self.stream):
            line = self.stream[self.at]
            text = line.plain
            if head is not None and (found_head := head.match(line.text)):
                text = line.text[found_head.end() :]
            if frame := _FRAME.match(text):
                self.traced.code.add(line.index)
                if len(frames) < MOST_FRAMES:
                    function = (frame.group("function") or b"").strip()
                    frames.append(f"{_str(frame.group('path'))}:{_str(function)}")
            elif b"Traceback (most recent call last)" in text or text.startswith((b"srun: ", b"slurmstepd")):
                break
            elif text[indent : indent + 1].isspace():
                self.traced.code.add(line.index)
            elif text.strip():
                found = _EXCEPTION.match(text[indent:]) or (_ANY_TYPE.match(text[indent:]) if frames else None)
                if found:
                    self.at += 1
                    link = self._link(found, line, tuple(frames))
                    told = _RANK.search(header_line.text)
                    return Raised(
                        [link],
                        [],
                        header_line,
                        self._thread(start - 1),
                        self._is_handled(start - 1),
                        whole_number(told.group("rank")) if told else None,
                    )
            self.at += 1
        else:
            if frames:
                self.traced.unfinished.append(CutOff(self.stream[-1], frames[-1]))
        return None

    def _link(self, found: re.Match[bytes], line: Line, frames: tuple[str, ...]) -> Link:
        message = [_str(found.group("message") or b"")]
        for follower in self.stream[self.at : self.at + MESSAGE_LINES]:
            text = follower.plain
            if (
                not text.strip()
                or follower.label != line.label
                or b"Traceback (most recent" in text
                or read_clock(text) is not None
                or _EXCEPTION.match(text)
                or text.startswith((_HANDLING, _CAUSE, b"srun: ", b"slurmstepd"))
            ):
                break
            message.append(_str(text))
        return Link(_str(found.group("type")), "\n".join(message).strip(), line, frames)

    def join_behind(self) -> Literal["handling", "cause", "original"] | None:
        """Whether the next lines tie the exception just read to another one below it."""
        for line in self.stream[self.at : self.at + MESSAGE_LINES]:
            text = line.plain
            if _HANDLING in text:
                return "handling"
            if _CAUSE in text:
                return "cause"
            if b"Original Traceback (most recent" in text or _SUB_EXCEPTION.match(line.text):
                return "original"
            if b"Traceback (most recent" in text or _EXCEPTION.match(text):
                return None
        return None

    def _is_handled(self, before: int) -> bool:
        """Whether the interpreter or a logger says that it swallowed the exception."""
        lines = self.stream[max(0, before - 1) : before + 1]
        return any(mark in line.text for line in lines for mark in _IGNORED)

    def _thread(self, before: int) -> str | None:
        found = _THREAD.match(self.stream[before].plain) if before >= 0 else None
        return _str(found.group("name")) if found else None


def _head_of(prefix: bytes) -> re.Pattern[bytes] | None:
    """What a container or a logger puts in front of every line of a traceback, with its digits left open."""
    if not prefix.strip() or _REPORT_PREFIX.match(prefix) or len(prefix) > LONGEST_HEAD:
        return None
    return re.compile(re.sub(rb"\d+", rb"\\d+", re.escape(prefix)))


def _str(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
