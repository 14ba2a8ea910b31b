"""Which signatures speak of something?"""

from __future__ import annotations

from collections.abc import Sequence

from diagnose.model import Signature
from diagnose.signatures import Catalogue


def find_signatures(
    catalogue: Catalogue, words: Sequence[str] = (), category: str | None = None, role: str | None = None
) -> list[Signature]:
    """Signatures of a category and role with every word, in whatever case, in their id, title or patterns."""
    wanted = [word.lower() for word in words]
    return [
        signature
        for signature in catalogue.signatures.values()
        if category in (None, signature.category)
        and role in (None, signature.role)
        and all(word in _searched(signature) for word in wanted)
    ]


def _searched(signature: Signature) -> str:
    exception = signature.exception
    patterns = [*signature.match, *((exception.type, exception.message, exception.frame) if exception else ())]
    return "\n".join([signature.id, signature.title, *(pattern for pattern in patterns if pattern)]).lower()
