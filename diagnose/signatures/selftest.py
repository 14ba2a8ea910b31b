"""What a rule promises, held against what it does: examples match with their captures, near misses do not.

The recogniser is handed in, since it stands behind this stage: ``recognise(text) -> [(signature id, captures)]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from diagnose.model import Signature
from diagnose.signatures.catalogue import Catalogue
from diagnose.signatures.faults import Fault
from diagnose.signatures.literals import texts_of

SHARED_BYTES = 8

Recogniser = Callable[[bytes], list[tuple[str, dict[str, str]]]]


def self_test(catalogue: Catalogue, recognise: Recogniser, only: Iterable[str] = ()) -> list[Fault]:
    """Faults of all signatures (or of those in ``only``), in order of their ids."""
    chosen = set(only) or set(catalogue.signatures)
    faults = []
    for signature in catalogue.signatures.values():
        if signature.id in chosen:
            file = catalogue.files[signature.id]
            faults += [Fault(file, 1, key, text) for key, text in _faults(signature, recognise)]
    return faults


def _faults(signature: Signature, recognise: Recogniser) -> Iterable[tuple[str, str]]:
    for index, example in enumerate(signature.examples):
        where = f"examples[{index}]"
        found = [captures for name, captures in recognise(example.log.encode()) if name == signature.id]
        others = sorted({name for name, _ in recognise(example.log.encode())} - {signature.id})
        if not found:
            yield where, "does not match" + (f"; these do: {', '.join(others)}" if others else "")
            continue
        if not any(example.captures.items() <= captures.items() for captures in found):
            yield where, f"captures are {found[0]}, expected {example.captures}"
    for index, line in enumerate(signature.near_misses):
        where = f"near_misses[{index}]"
        if any(name == signature.id for name, _ in recognise(line.encode())):
            yield where, "matches, and must not"
        elif signature.match and not _shares_text(signature, line.encode()):
            yield where, "shares no text with the patterns, so it proves nothing"


def _shares_text(signature: Signature, line: bytes) -> bool:
    """Whether the line contains some of the text that a pattern spells out (eight characters of it)."""
    texts = [text for pattern in signature.match for text in texts_of(pattern)]
    near = line.lower()
    return any(
        text[at : at + SHARED_BYTES] in near for text in texts for at in range(max(1, len(text) - SHARED_BYTES + 1))
    )
