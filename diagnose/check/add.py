"""A log -> a case: the answer of today written beside it as a label, to be read and corrected by a person."""

from __future__ import annotations

import json
from pathlib import Path

from diagnose.model import Diagnosis


def write_label(log: Path, found: Diagnosis) -> Path | None:
    """Write NAME.yaml beside NAME.log; None, and nothing written, where it is there already."""
    label = log.with_suffix(".yaml")
    if label.exists():
        return None
    first = found.first_failure
    lines = [] if found.cause.line is None else [found.cause.line]
    words = sorted({word.strip(".,()").lower() for step in found.fix for word in step.do.split() if len(word) > 6})[:4]
    rows = {
        "category": found.category,
        "accept": [],
        "root_lines": lines,
        "first_rank": first.rank if isinstance(first.rank, int) else None,
        "first_node": first.node,
        "exit_code": found.exit.code,
        "fix_any": words,
    }
    text = f"id: {log.stem}\nestablished: not yet - read the log, correct what follows, and say here how you know\nexpect:\n"
    text += "".join(f"  {name}: {json.dumps(value)}\n" for name, value in rows.items())
    label.write_text(text, encoding="utf-8")
    return label
