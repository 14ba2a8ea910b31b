"""Windows of bytes -> lines that are understood: number, label, clock, and the text behind the prefixes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from diagnose.events.clock import Clock, read_clock
from diagnose.events.labels import Label, Labeller
from diagnose.events.sections import read_border
from diagnose.logs import Writer, segments, without_reports

LONGEST_LINE = 16 * 1024
"""What is read of one line: its first and last 8 KiB."""

_LOGGER = re.compile(
    rb"(?:[EWIF]\d{3,4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\] "
    rb"|(?:\(\w+\) )?(?:ERROR|WARNING|INFO|CRITICAL|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./]+:\d+\]+ "
    rb"|(?:ERROR|WARNING|INFO|CRITICAL):[\w.]+:(?=\S)"
    rb"|[^\n]{0,110}?\[rank ?\d+\]: (?=Traceback| |[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)\b))"
)


_GUTTER = re.compile(rb" {2,}[|+] (?=Exception Group|Traceback| |[A-Za-z_][\w.]*:)")
"""The margin that Python 3.11 draws around the tracebacks of an exception group."""

_NOBODY = Writer()


@dataclass(slots=True)
class Line:
    """One visible segment of a line. ``text`` is behind launcher prefixes, ``shown`` is the segment as printed.

    ``index`` is the line's place among all lines that were read, of all files.
    """

    file: int
    number: int
    shown: bytes
    text: bytes
    label: Label
    clock: Clock | None
    index: int = 0

    @property
    def plain(self) -> bytes:
        """The text without a logger's own prefix (glog, vLLM, logging.basicConfig), as the traceback reader wants it."""
        found = _LOGGER.match(self.text) or _GUTTER.match(self.text)
        return self.text[found.end() :] if found else self.text


def read_lines(windows: Sequence[tuple[int, bytes]], file: int = 0, writer: Writer | None = None) -> list[Line]:
    """Understand the lines of one file's windows, each given as (number of its first line, bytes).

    ``writer`` fills in what the lines' own labels leave open.
    """
    pieces: list[tuple[int, bytes]] = []
    for first, window in windows:
        raw_lines = window.split(b"\n")
        if raw_lines and not raw_lines[-1]:
            raw_lines.pop()
        for number, raw in enumerate(without_reports(raw_lines), first):
            if len(raw) > LONGEST_LINE:
                raw = raw[: LONGEST_LINE // 2] + b" ... " + raw[-LONGEST_LINE // 2 :]
            pieces += [(number, piece) for piece in segments(raw)]
    labeller = Labeller(piece for _, piece in pieces[:20000])
    lines = []
    of_part = writer or _NOBODY
    for number, piece in pieces:
        label, text = labeller.read(piece)
        border = read_border(text)
        if border is not None:
            of_part = writer or _NOBODY if border == _NOBODY else border
        elif of_part != _NOBODY:
            label = _completed(label, of_part)
        lines.append(Line(file, number, piece, text, label, read_clock(text) or read_clock(piece, 40)))
    return lines


def _completed(label: Label, writer: Writer) -> Label:
    return replace(
        label,
        task=label.task if label.task is not None else writer.task,
        rank=label.rank if label.rank is not None else writer.rank,
        local_rank=label.local_rank if label.local_rank is not None else writer.local_rank,
        host=label.host or writer.node,
        attempt=writer.attempt,
    )
