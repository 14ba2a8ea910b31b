"""The patterns of the shipped rules in the dialect of ripgrep, for a fair comparison: what our first pass looks for.

Names of groups go, since one alternation cannot hold a name twice; patterns with look-around go, since ripgrep's default
engine has none; what it refuses for another reason goes, too. How many are left is part of the figures.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from diagnose.signatures import load_catalogue

_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])")


def write_patterns(path: Path, ripgrep: str) -> tuple[int, int]:
    """Write one pattern a line; return how many there are and how many could be kept."""
    catalogue = load_catalogue()
    owners = [name for name in [*catalogue.signatures, *catalogue.markers] if catalogue.is_rare(name)]
    patterns = [pattern for owner in owners for pattern in catalogue.patterns_of(owner)]
    plain = [re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in patterns if not _LOOK_AROUND.search(pattern)]
    kept = _accepted(plain, path, ripgrep)
    path.write_text("".join(f"{pattern}\n" for pattern in kept), encoding="utf-8")
    return len(patterns), len(kept)


def _accepted(patterns: list[str], path: Path, ripgrep: str) -> list[str]:
    """Those that ripgrep compiles: halved until the refused ones stand alone."""
    path.write_text("".join(f"{pattern}\n" for pattern in patterns), encoding="utf-8")
    command = [ripgrep, "-a", "--no-unicode", "-q", "-f", str(path), "/dev/null"]
    if subprocess.run(command, capture_output=True, check=False).returncode != 2:
        return patterns
    if len(patterns) == 1:
        return []
    half = len(patterns) // 2
    return _accepted(patterns[:half], path, ripgrep) + _accepted(patterns[half:], path, ripgrep)
