"""torchelastic's failure report -> deaths, one for each process that it lists.

    Root Cause (first observed failure):
    [0]:
      time      : 2026-12-01_01:47:14
      host      : node1
      rank      : 1 (local_rank: 1)
      exitcode  : -9 (pid: 1728)
      error_file: <N/A>
      traceback : Signal 9 (SIGKILL) received by PID 1728

PyTorch 1.9 to 2.13; 1.9 has no host and ``msg`` instead of ``traceback``. Every node's agent prints its own report,
with its own ranks only; "first observed" is the first that the agent polled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from diagnose.events.clock import read_clock
from diagnose.events.exits import normal_code, number_list
from diagnose.events.facts import Death
from diagnose.events.lines import Line
from diagnose.events.numbers import whole_number

_FIELD = re.compile(rb"^\s*(?P<key>time|host|rank|exitcode|error_file|traceback|msg)\s*: ?(?P<value>.*)$")
_RANK = re.compile(rb"(\d+) \(local_rank: (\d+)\)")
_CODE = re.compile(rb"(-?\d+) \(pid: (\d+)\)")


def read_reports(streams: Iterable[Sequence[Line]]) -> list[Death]:
    """All processes of all reports in the streams, in printed order."""
    return [death for stream in streams for death in _of_stream(stream)]


def _of_stream(stream: Sequence[Line]) -> Iterable[Death]:
    root = False
    entry: dict[bytes, tuple[Line, bytes]] = {}
    told: list[int] = []
    for line in stream:
        text = line.plain
        found = _FIELD.match(text)
        ends = found is None and (text.startswith((b"Failures:", b"----", b"====", b"[")) or b"Root Cause" in text)
        if ends or (found is not None and found.group("key") == b"time"):
            death = _death(entry, root, told)
            entry, told = {}, []
            if death is not None:
                yield death
        if found is not None:
            entry[found.group("key")] = (line, found.group("value").strip())
        elif text.lstrip().startswith(b"Root Cause"):
            root = True
        elif text.startswith(b"Failures:"):
            root = False
        told.append(line.index)
    death = _death(entry, root, told)
    if death is not None:
        yield death


def _death(entry: dict[bytes, tuple[Line, bytes]], root: bool, told: list[int]) -> Death | None:
    if b"exitcode" not in entry:
        return None
    line, code_text = entry[b"exitcode"]
    code = _CODE.search(code_text)
    rank = _RANK.search(entry[b"rank"][1]) if b"rank" in entry else None
    if code is None or rank is None:
        return None
    number, name = normal_code(code.group(1).decode(), None)
    host = entry[b"host"][1].decode("utf-8", "replace") if b"host" in entry else None
    return Death(
        reporter="torchelastic",
        line=line,
        code=number,
        signal=name,
        ranks=number_list(rank.group(1).decode()),
        local_rank=whole_number(rank.group(2)),
        node=host,
        nodes=(host,) if host else (),
        pid=whole_number(code.group(2)),
        clock=read_clock(entry[b"time"][1]) if b"time" in entry else None,
        root=root,
        stated_code=True,
        told_in=frozenset(told),
    )
