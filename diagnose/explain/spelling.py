"""Spellings of one name: ``OUT_OF_MEMORY``, ``OutOfMemory`` and ``out-of-memory`` are the same word."""

from __future__ import annotations

import re

_WORD_AND_NUMBER = re.compile(
    r"^(exit|exit code|exitcode|exit status|rc|signal|errno|xid|sxid|ib|ib status|wc status|nccl)\s*[=:#]\s*(?=-?\d)",
    re.IGNORECASE,
)


def folded(text: str) -> str:
    """A name without case, spaces, hyphens and underscores, to compare by."""
    return re.sub(r"[\s_-]+", "", text).lower()


def tidied(text: str) -> str:
    """What a person pasted, without what surrounds it: ``[Errno 28]`` -> ``Errno 28``, ``exit code: 9`` -> ``exit code 9``."""
    text = " ".join(text.split()).strip("[](){}'\"`.,;")
    text = re.sub(r"^(exit)_?(code)\b", r"\1 \2", text, flags=re.IGNORECASE)
    return _WORD_AND_NUMBER.sub(r"\1 ", text)
