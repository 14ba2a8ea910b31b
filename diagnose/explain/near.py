"""A word that nobody knows -> names that look like it, and signatures that speak of it."""

from __future__ import annotations

from difflib import get_close_matches

from diagnose.explain.search import find_signatures
from diagnose.signatures import Catalogue

MOST = 6


def near_names(phrase: str, catalogue: Catalogue) -> list[str]:
    """Names that ``find_readings`` knows, the most similar first; then ids that hold every word of the phrase."""
    shown = {name.lower(): name for name in _names(catalogue)}
    word = phrase.lower().strip()
    close = get_close_matches(word, list(shown), 4, 0.65) + get_close_matches(
        word.replace(" ", "-"), list(shown), 4, 0.65
    )
    words = word.replace("-", " ").split()
    speaking = [signature.id for signature in find_signatures(catalogue, words)] if words else []
    return list(dict.fromkeys([*(shown[name] for name in close), *speaking]))[:MOST]


def _names(catalogue: Catalogue) -> list[str]:
    tables = catalogue.tables.by_file
    names = [*catalogue.signatures, *catalogue.tables.categories]
    for file in ("signals.yaml", "slurm_states.yaml", "slurm_reasons.yaml"):
        names += tables[file]
    names += [row["name"] for file in ("nccl_results.yaml", "errno.yaml") for row in tables[file].values()]
    for file, kind in (("xid.yaml", "xid"), ("sxid.yaml", "sxid"), ("ib_status.yaml", "ib")):
        names += [f"{kind} {code}" for code in tables[file]]
    return names
