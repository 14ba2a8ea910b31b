"""The lines between which a text report stands: what the tool itself wrote into a log is no evidence."""

from __future__ import annotations

BEGIN = "=== slurm-doctor report ==="
END = "=== end of slurm-doctor report ==="
LONGEST_REPORT = 200
"""Lines within which the end of a report is looked for."""

_HEAD_LINES = 6
"""Lines at the start of a report that are not indented: what failed, in words, and who."""


def without_reports(lines: list[bytes]) -> list[bytes]:
    """Blank the lines of earlier reports, so that line numbers stay. The line that ends a report stays, too."""
    begin = BEGIN.encode()
    if not any(begin in line for line in lines):
        return lines
    kept = list(lines)
    at = 0
    while at < len(lines):
        if begin in lines[at]:
            end = _end(lines, at)
            kept[at:end] = [b""] * (end - at)
            at = end
        at += 1
    return kept


def _end(lines: list[bytes], begin: int) -> int:
    """Where a report is over: at its last line, else (the tool was killed while it wrote) where its form ends."""
    end = END.encode()
    for at in range(begin + 1, min(begin + LONGEST_REPORT, len(lines))):
        if end in lines[at]:
            return at
    at = begin + 1
    while at < min(begin + _HEAD_LINES, len(lines)) and lines[at].strip():
        at += 1
    while at < len(lines) and _is_body(lines, at):
        at += 1
    return at


def _is_body(lines: list[bytes], at: int) -> bool:
    """Whether a line is blank, indented, or a heading over something indented."""
    line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else b""
    return not line.strip() or line.startswith(b"  ") or below.startswith(b"  ")
