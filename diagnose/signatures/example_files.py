"""Examples that lie in a file of their own beside the rule: ``examples: [{file: pump.log}]``."""

from __future__ import annotations

from pathlib import Path

import msgspec

from diagnose.model import Example, Signature
from diagnose.signatures.compiled import EXAMPLE_SUFFIXES
from diagnose.signatures.yaml_text import Document

LARGEST = 256 * 1024


def read_example_files(signature: Signature, document: Document) -> Signature:
    """The signature with the text of each named file as the ``log`` of its example."""
    examples = [_read(example, f"examples[{index}]", document) for index, example in enumerate(signature.examples)]
    return msgspec.structs.replace(signature, examples=examples)


def _read(example: Example, place: str, document: Document) -> Example:
    if bool(example.log) == bool(example.file):
        document.fault(place, "needs either `log`, the text itself, or `file`, a file with the text")
    if not example.file:
        return example
    text = _text_of(example.file, f"{place}.file", document)
    return msgspec.structs.replace(example, log=text)


def _text_of(name: str, place: str, document: Document) -> str:
    """The content; bytes that are no UTF-8 are replaced. What is wrong goes into ``document.faults``."""
    if not name.endswith(EXAMPLE_SUFFIXES) or Path(name).is_absolute() or ".." in Path(name).parts:
        document.fault(
            place, f"{name!r}: expected a {' or '.join(EXAMPLE_SUFFIXES)} file in the folder of the rule or below it"
        )
        return ""
    path = (document.folder or Path()) / name
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as problem:
        document.fault(
            place, f"{name}: {problem.strerror or problem}; it is looked for beside the rule, in {path.parent}"
        )
        return ""
    if not raw.strip() or len(raw) > LARGEST:
        document.fault(
            place, f"{name}: {'is empty' if not raw.strip() else f'has more than {LARGEST} bytes; cut it down'}"
        )
        return ""
    return raw.decode("utf-8", "replace")
