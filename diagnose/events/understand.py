"""Windows -> Text: lines, streams and exceptions, ready for the recogniser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from diagnose.events.lines import Line, read_lines
from diagnose.events.mending import mend
from diagnose.events.recognise import Text, recognise
from diagnose.events.streams import split_streams
from diagnose.events.tracebacks import read_tracebacks
from diagnose.logs import Writer
from diagnose.scan import Engine
from diagnose.signatures import Catalogue

Windows = Sequence[tuple[int, bytes]]


_SOURCE = re.compile(
    rb"\s{2,}(?:raise [A-Za-z_][\w.]*(?:\(|$)|assert \S|(?:logger|logging|log|warnings)\.\w+\(|print\(|[rb]?f[\"']"
    rb"|def \w+\(|class \w+[(:]|(?:el)?if .{1,120}:$|except\b.{0,80}:$)"
)
"""Python source that a program printed, or that stands in a traceback whose lines got mixed up: it reports nothing."""


def understand(files: Iterable[Windows], catalogue: Catalogue, engine: Engine, writers: Sequence[Writer] = ()) -> Text:
    """Read the windows of each file, given as (number of the first line, bytes), and who wrote it if that is known."""
    lines: list[Line] = []
    for number, windows in enumerate(files):
        lines += read_lines(windows, number, writers[number] if number < len(writers) else None)
    lines = mend(lines, catalogue, engine)
    for index, line in enumerate(lines):
        line.index = index
    streams = split_streams(lines)
    text = Text(lines, streams)
    for stream in streams:
        traced = read_tracebacks(stream)
        text.raised += traced.raised
        text.unfinished += traced.unfinished
        text.code |= traced.code
    text.code |= {line.index for line in lines if _SOURCE.match(line.text)}
    return text


def recognise_samples(
    samples: Sequence[bytes], catalogue: Catalogue, engine: Engine
) -> list[list[tuple[str, dict[str, str]]]]:
    """What the signatures say of each piece of log text, as (id, captures): the way rules are tested.

    Each sample is read as a file of its own, but all in one pass.
    """
    text = understand([[(1, sample)] for sample in samples], catalogue, engine)
    found: list[list[tuple[str, dict[str, str]]]] = [[] for _ in samples]
    for match in recognise(text, catalogue, engine).matches:
        found[match.line.file].append((match.signature.id, match.captures))
    return found
