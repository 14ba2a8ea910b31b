"""A signature -> the page that a person reads: its words without a log, how it hangs together with others, its examples."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from diagnose.explain.placeholders import generic, generic_command
from diagnose.explain.reading import Reading, Step
from diagnose.model import Signature, When
from diagnose.signatures import Catalogue


class SignaturePage(Struct, frozen=True, kw_only=True):
    """``explained_by`` holds ids and categories; ``explains`` are who names this id, ``explains_by_category`` who names its
    category."""

    id: str
    reading: Reading
    explained_by: list[str]
    explains: list[str]
    explains_by_category: list[str]
    refines: list[str]
    refined_by: list[str]
    table: str | None
    examples: list[str]
    near_misses: list[str]
    file: str


def signature_page(name: str, catalogue: Catalogue) -> SignaturePage:
    """The page of a signature that the catalogue has."""
    signature = catalogue[name]
    others = catalogue.signatures.values()
    return SignaturePage(
        id=name,
        reading=signature_reading(signature, catalogue),
        explained_by=list(
            dict.fromkeys(f"{cause}{_WHERE[part.on]}" for part in signature.explained_by for cause in part.any)
        ),
        explains=_named_by(name, others),
        explains_by_category=[] if signature.role in ("benign", "context") else _named_by(signature.category, others),
        refines=list(signature.refines),
        refined_by=[other.id for other in others if name in other.refines],
        table=signature.table.file if signature.table else None,
        examples=[example.log.rstrip("\n") for example in signature.examples],
        near_misses=[line.rstrip("\n") for line in signature.near_misses],
        file=catalogue.files[name],
    )


def _named_by(name: str, others: Iterable[Signature]) -> list[str]:
    """Ids of the signatures whose ``explained_by`` names a signature or category."""
    return [other.id for other in others if any(name in cause.any for cause in other.explained_by)]


def signature_reading(signature: Signature, catalogue: Catalogue) -> Reading:
    """The words of a signature, with placeholders shown as words."""
    category = catalogue.tables.categories[signature.category]
    return Reading(
        what=f"signature {signature.id}",
        title=generic(signature.title),
        category=signature.category,
        category_title=category["title"],
        role=signature.role,
        why=generic(signature.why),
        fix=[Step(generic(step.do), generic_command(step.run), _circumstances(step.when)) for step in signature.fix],
        next_time=[generic(text) for text in signature.next_time],
        action=signature.action or category["action"],
        transient=signature.transient,
        references=list(signature.references),
    )


_WHERE = {"self": "", "any": "", "peer": " on the peer", "node": " on the same node"}
_SPAN = {"cross-node": "between nodes", "one-node": "within one node"}
_PHASE = {"before-first-step": "before the first step", "after-first-step": "after the first step"}


def _circumstances(when: When | None) -> str | None:
    if when is None:
        return None
    parts = [f"{when.saw} was seen{_WHERE[when.on]}"] if when.saw else []
    parts += ["nothing is known of the peer"] if when.silent else []
    parts += [_SPAN[when.span]] if when.span else []
    parts += [_PHASE[when.phase]] if when.phase else []
    return " and ".join(parts)
