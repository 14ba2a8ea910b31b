"""The answer as JSON: schema_version 1, exactly the fields of ``Diagnosis``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from diagnose.model import Diagnosis


def json_report(found: Sequence[Diagnosis | None]) -> str:
    """One object for one log; for several a list in their order, null for one that could not be read. Indented."""
    value = found[0] if len(found) == 1 else list(found)
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one answer."""
    return msgspec.json.schema(Diagnosis)
