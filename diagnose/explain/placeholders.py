"""Texts of rules without a log at hand: a capture is shown by a word for it instead of its value."""

from __future__ import annotations

import re
from collections.abc import Mapping

from diagnose.verdict import fill, fill_command

_NAME = re.compile(r"(?<!\{)\{(\w+)\}")
_OPTIONAL = re.compile(r"\[[^\[\]]*\{\w+\}[^\[\]]*\]")
_WORDS = {"who": "a rank", "rank": "N", "peer": "M", "gpu": "N", "node": "NODE"}


def generic(text: str, values: Mapping[str, str] | None = None) -> str:
    """``Xid {code}[ on GPU {pci}]`` -> ``Xid CODE on GPU PCI``.

    With ``values`` these are filled in, and a part in brackets is dropped where they do not fill it: ``Xid 79``.
    """
    return fill(text, _filled(text, values))


def generic_command(text: str | None, values: Mapping[str, str] | None = None) -> str | None:
    """The same for a command: ``ls {path}`` -> ``ls PATH``."""
    return None if text is None else fill_command(text, _filled(text, values))


def _filled(text: str, values: Mapping[str, str] | None) -> dict[str, str]:
    asked = text if values is None else _OPTIONAL.sub("", text)
    return {name: _WORDS.get(name, name.upper()) for name in _NAME.findall(asked)} | dict(values or {})
