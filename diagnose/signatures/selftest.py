"""What a rule promises, held against what it does.

Examples match with their captures, also in the forms that other launchers give them (diagnose/signatures/variants.py), and
no other signature takes them away: a benign one that vetoes the line, or one that names this one in its `refines`.
Near misses do not match, and share text with the patterns.

The recogniser is handed in, since it stands behind this stage. It reads many samples at once, each a file of its own:
``recognise(samples) -> [[(signature id, captures)]]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from diagnose.model import Example, Signature
from diagnose.signatures.catalogue import Catalogue
from diagnose.signatures.faults import Fault
from diagnose.signatures.literals import texts_of
from diagnose.signatures.variants import Form, forms

SHARED_BYTES = 8

Found = list[tuple[str, dict[str, str]]]
Recogniser = Callable[[Sequence[bytes]], list[Found]]


def self_test(catalogue: Catalogue, recognise: Recogniser, only: Iterable[str] = ()) -> list[Fault]:
    """Faults of all signatures (or of those in ``only``), in order of their ids.

    An example that is not found as it stands is not tried in other forms.
    """
    chosen = set(only) or set(catalogue.signatures)
    signatures = [signature for signature in catalogue.signatures.values() if signature.id in chosen]
    faults: dict[str, list[Fault]] = {signature.id: [] for signature in signatures}

    def fault(signature: Signature, key: str, text: str) -> None:
        faults[signature.id].append(Fault(catalogue.files[signature.id], 1, key, text))

    examples = [(signature, *numbered) for signature in signatures for numbered in enumerate(signature.examples)]
    sound = []
    for (signature, index, example), found in zip(
        examples, recognise([example.log.encode() for _, _, example in examples]), strict=True
    ):
        if wrong := _wrong(signature, example, found):
            fault(signature, f"examples[{index}]", wrong)
        else:
            sound.append((signature, index, example))
    _try_near_misses(signatures, recognise, fault)
    for name, form in forms():
        for signature, index, wrong in _try_form(form, sound, recognise):
            fault(signature, f"examples[{index}]", f"{name}: {wrong}")
    return [one for of_signature in faults.values() for one in of_signature]


def _wrong(signature: Signature, example: Example, found: Found) -> str | None:
    """What is wrong with what was found in an example; None where it is right."""
    mine = [captures for name, captures in found if name == signature.id]
    if not mine:
        others = sorted({name for name, _ in found})
        return "does not match" + (f"; these do: {', '.join(others)}" if others else "")
    if not any(example.captures.items() <= captures.items() for captures in mine):
        return f"captures are {mine[0]}, expected {example.captures}"
    return None


def _try_near_misses(
    signatures: Iterable[Signature], recognise: Recogniser, fault: Callable[[Signature, str, str], None]
) -> None:
    lines = [(signature, *numbered) for signature in signatures for numbered in enumerate(signature.near_misses)]
    for (signature, index, line), found in zip(lines, recognise([line.encode() for *_, line in lines]), strict=True):
        if any(name == signature.id for name, _ in found):
            fault(signature, f"near_misses[{index}]", "matches, and must not")
        elif signature.match and not _shares_text(signature, line.encode()):
            fault(signature, f"near_misses[{index}]", "shares no text with the patterns, so it proves nothing")


def _try_form(
    form: Form, examples: Iterable[tuple[Signature, int, Example]], recognise: Recogniser
) -> Iterable[tuple[Signature, int, str]]:
    tried = [(*one, sample) for one in examples if (sample := form(one[0], one[2].log)) is not None]
    results = recognise([sample for *_, sample in tried])
    for (signature, index, example, _), found in zip(tried, results, strict=True):
        if wrong := _wrong(signature, example, found):
            yield signature, index, wrong


def _shares_text(signature: Signature, line: bytes) -> bool:
    """Whether the line contains some of the text that a pattern spells out (eight characters of it)."""
    texts = [text for pattern in signature.match for text in texts_of(pattern)]
    near = line.lower()
    return any(
        text[at : at + SHARED_BYTES] in near for text in texts for at in range(max(1, len(text) - SHARED_BYTES + 1))
    )
