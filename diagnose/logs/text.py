"""One raw line -> the segments a person would see: colours removed, progress bars cut off.

A segment is what stands between two carriage returns or cursor movements of one line, or behind a progress bar that
something else was glued to. All segments of a line keep the line's number.
"""

from __future__ import annotations

import re

_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[()][A-Z0-9]|\x1b[=>78DEM]")
_CURSOR = re.compile(rb"\x1b\[\d*[ABFGHJK]|\x1b\[\d+;\d+H")
_BAR = re.compile(
    rb"\d+%\s?\|[^|]{0,400}\|\s*[\d.,kMG]+/[\d.,kMG?]+ \[[^\]]{0,80}\]"
    rb"|(?:\d+%\|[^|\[]{0,400}\|? ?)?[\d.]+[kMG]?(?:it|B|ex|tok|sample)?/[\d.]+[kMG]?\w{0,3} \[\d+:\d\d[^\]]{0,80}\]"
    rb"|\d+it \[\d+:\d\d[^\]]{0,60}\]"
    rb"|[\d.]+(?:s/it|it/s)\]"
)


def segments(raw: bytes) -> list[bytes]:
    """Split one line (without its newline) into visible segments, each without escape sequences."""
    line = raw.rstrip(b"\r")
    if b"\x1b" in line:
        line = _ESCAPES.sub(b"", _CURSOR.sub(b"\r", line))
    bars = b"it/s" in line or b"s/it" in line or b"%|" in line or b"it [" in line
    if b"\r" not in line:
        return _behind_bars(line) if bars else [line]
    if not bars:
        return [line.replace(b"\r", b"")] if line.count(b"\r") == 1 else [part for part in line.split(b"\r") if part]
    return [piece for part in line.split(b"\r") if part for piece in _behind_bars(part)]


def _behind_bars(part: bytes) -> list[bytes]:
    """Cut after a progress bar where more than a metric follows it."""
    pieces, start = [], 0
    for bar in _BAR.finditer(part):
        rest = part[bar.end() :].lstrip(b" ")
        if rest and not rest.startswith((b",", b"]", b"|")) and len(rest) > 3:
            pieces.append(part[start : bar.end()])
            start = bar.end()
    pieces.append(part[start:])
    return [piece for piece in pieces if piece.strip()] or [part]
