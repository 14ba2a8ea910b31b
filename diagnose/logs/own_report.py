"""The lines between which a text report stands: what the tool itself wrote into a log is no evidence."""

from __future__ import annotations

BEGIN = "=== slurm-doctor report ==="
END = "=== end of slurm-doctor report ==="
LONGEST_REPORT = 200
"""Lines after which a report without an end (the tool was killed while it wrote) is over all the same."""


def without_reports(lines: list[bytes]) -> list[bytes]:
    """Blank the lines of earlier reports, so that line numbers stay."""
    begin, end = BEGIN.encode(), END.encode()
    if not any(begin in line for line in lines):
        return lines
    kept: list[bytes] = []
    inside = 0
    for line in lines:
        if begin in line:
            inside = LONGEST_REPORT
        if inside:
            inside = 0 if end in line else inside - 1
            kept.append(b"")
        else:
            kept.append(line)
    return kept
