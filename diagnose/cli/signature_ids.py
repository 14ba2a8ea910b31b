"""Signature ids as arguments: an unknown one is a usage error that names the nearest."""

from __future__ import annotations

from collections.abc import Iterable

import click


def require_ids(ids: Iterable[str], known: Iterable[str]) -> None:
    """Raise a usage error where an id is not known."""
    from diagnose.verdict import visible

    names = list(known)
    for name in ids:
        if name not in names:
            near = nearest(name, names)
            hint = f"; did you mean {' or '.join(near)}?" if near else "; see slurm-doctor rules list"
            raise click.UsageError(f"no signature is called {visible(name)!r}{hint}")


def nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that look like a word, the most similar first."""
    from difflib import get_close_matches

    return get_close_matches(word.lower(), list(known), most)
