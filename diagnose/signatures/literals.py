"""Required literals: for a pattern, a set of byte strings of which every match contains at least one.

The scan looks for literals only (it reads every byte, so it must be cheap) and asks the pattern afterwards. The set
is computed from the parse tree of Python's own ``re``; a pattern that ``re`` cannot parse is refused, so rules stay
in the dialect that ``re`` and ``regex`` share.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Set
from functools import cache
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser  # type: ignore[attr-defined]
else:
    import sre_parse as _parser

SHORTEST = 4
"""A literal with fewer bytes is too common in ordinary text to be worth a look."""

COMMON = re.compile(
    r"(?<![a-z])(?:training|train|iterations?|iter|steps?|epochs?|loss|batch|size|global|samples?|learning|rate|loading|load"
    r"|saving|checkpoints?|model|info|nccl|mllog|warn|warning|error|ranks?|node|worker|group|number|data|time|seconds?|memory"
    r"|tokens?|config|version|using|device|cuda|gpu|torch|python|file|line|failed|fail|true|false|none|null|finished|done"
    r"|complete|stop|stopping|disabl|reducing|scale|found|init|num|layers|srun|slurmstepd|world|is|not|of|on|in|at|to|the|and|for|by"
    r"|with|from|that|this|runtimeerror|valueerror|assertionerror|keyerror|typeerror|oserror|importerror|attributeerror|filenotfounderror|indexerror|exception|exit|exited|code|tasks?|operation|when|calling|salloc|sbatch|mpirun"
    r"|process|processes|socket|abort|aborted|nan|inf|killed|job|timed|timeout|connection|remote|peer|closed)(?![a-z])"
)
"""Words that healthy logs are full of: they do not make a literal rare."""

LONGEST = 48
_WIDEST_CLASS = 4


class NoLiteral(ValueError):
    """The pattern has no literal that every match must contain."""


@cache
def required_literals(pattern: str) -> tuple[frozenset[bytes], bool]:
    """Return the literals of ``pattern`` and whether they are caseless (then they are in lower case).

    Raises ``re.error`` where the pattern does not parse and ``NoLiteral`` where nothing usable is required.
    """
    sets, caseless = required_sets(pattern)
    return sets[0], caseless


@cache
def required_sets(pattern: str) -> tuple[list[frozenset[bytes]], bool]:
    """All sets of literals of which every match contains one each, the rarest first; as ``required_literals``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = _parser.parse(pattern)
    caseless = bool(tree.state.flags & re.IGNORECASE)
    found = sorted(set(_of_sequence(tree)), key=_quality, reverse=True)
    if not found:
        raise NoLiteral(f"no text of at least {SHORTEST} characters that every match must contain")
    encoded = [frozenset((text.lower() if caseless else text).encode()[:LONGEST] for text in texts) for texts in found]
    return encoded, caseless


def texts_of(pattern: str) -> set[bytes]:
    """Every text of at least ``SHORTEST`` characters that stands in the pattern as such, required or not; lower case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = _parser.parse(pattern)
    return {text.lower().encode() for text in _runs(tree) if len(text.encode()) >= SHORTEST}


def _runs(tree: Any) -> Iterator[str]:
    run = ""
    for operator, argument in tree:
        if str(operator) == "LITERAL":
            run += chr(argument)
            continue
        yield run
        run = ""
        for part in argument if isinstance(argument, tuple | list) else ():
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, _parser.SubPattern):
                    yield from _runs(inner)
    yield run


def _quality(texts: Set[str]) -> tuple[int, int, int, list[str]]:
    """Higher for a set that should hit less often: its most common member is rarer, or it has fewer members."""
    return min(map(_rarity, texts)), min(map(len, texts)), -len(texts), sorted(texts)


def _rarity(text: str) -> int:
    """How many letters and digits of a text belong to no common word."""
    return sum(char.isalnum() for char in COMMON.sub(" ", text.lower()))


def _of_sequence(tree: Any) -> list[frozenset[str]]:
    """The sets of which a match of the sequence contains one text each."""
    found: list[frozenset[str]] = []
    run = [""]

    def close() -> None:
        nonlocal run
        if all(len(text) >= SHORTEST for text in run):
            found.append(frozenset(run))
        run = [""]

    for operator, argument in tree:
        texts = _exact(operator, argument)
        if texts is not None and len(run) * len(texts) <= 16:
            run = [head + tail for head in run for tail in texts]
            continue
        close()
        if texts is not None:
            run = list(texts)
            continue
        found += _of_item(operator, argument)
    close()
    return found


def _exact(operator: Any, argument: Any) -> list[str] | None:
    """Every text that the item can match, where there are few; None otherwise."""
    name = str(operator)
    if name == "LITERAL":
        return [chr(argument)]
    if name == "IN" and all(str(kind) == "LITERAL" for kind, _ in argument) and len(argument) <= _WIDEST_CLASS:
        return [chr(code) for _, code in argument]
    if name == "SUBPATTERN":
        return None if argument[1] & re.IGNORECASE else _exact_sequence(argument[-1])
    if name == "BRANCH":
        branches = [_exact_sequence(branch) for branch in argument[1]]
        if any(branch is None for branch in branches):
            return None
        flat = [text for branch in branches for text in branch or []]
        return flat if len(flat) <= 16 else None
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[:2] == (0, 1):
        inner = _exact_sequence(argument[2])
        return None if inner is None or len(inner) > 3 else ["", *inner]
    if name == "AT":
        return [""]
    return None


def _exact_sequence(tree: Any) -> list[str] | None:
    texts = [""]
    for operator, argument in tree:
        more = _exact(operator, argument)
        if more is None or len(texts) * len(more) > 16:
            return None
        texts = [head + tail for head in texts for tail in more]
    return texts


def _of_item(operator: Any, argument: Any) -> list[frozenset[str]]:
    name = str(operator)
    if name == "SUBPATTERN":
        return [] if argument[1] & re.IGNORECASE else _of_sequence(argument[-1])
    if name == "ATOMIC_GROUP":
        return _of_sequence(argument)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _of_sequence(argument[2]) if argument[0] >= 1 else []
    if name == "BRANCH":
        union: frozenset[str] = frozenset()
        for branch in argument[1]:
            sets = _of_sequence(branch)
            if not sets:
                return []
            union |= max(sets, key=_quality)
        return [union]
    return []
