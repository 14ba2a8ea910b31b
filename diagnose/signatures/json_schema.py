"""The JSON Schema of a rule file, for editors: from the types, with what the loader asks for on top of them.

The loader reads every scalar as text; an editor (YAML 1.2) reads ``schema: 1`` as a number. So where the types say text,
other scalars are valid, too. What needs the other rules (categories of a site, ids, patterns) only
`slurm-doctor rules test` can tell.
"""

from __future__ import annotations

from typing import Any

import msgspec

from diagnose.model import Signature

ID_PATTERN = "[a-z0-9]+(?:-[a-z0-9]+)*"
_SCALAR = ["string", "number", "boolean"]


def rule_schema() -> dict[str, Any]:
    """A signature, or two keys that silence one."""
    (schema,), definitions = msgspec.json.schema_components([Signature], ref_template="#/$defs/{name}")
    definitions = {name: _for_yaml(part) for name, part in definitions.items()}
    signature = definitions["Signature"]
    fields = signature["properties"]
    fields["id"] = {"type": "string", "pattern": f"^{ID_PATTERN}$"}
    for name in ("examples", "near_misses"):
        fields[name] = {**fields[name], "minItems": 1}
        del fields[name]["default"]
    signature["required"] = sorted({*signature["required"], "examples", "near_misses"})
    signature["oneOf"] = [{"required": ["match"]}, {"required": ["exception"]}]
    signature["if"] = {"properties": {"role": {"enum": ["cause", "symptom"]}}, "not": {"required": ["table"]}}
    signature["then"] = {"required": ["fix"]}
    definitions["Need"]["properties"]["lines"] |= {"pattern": "^[0-9]+$"}
    definitions["Example"]["oneOf"] = [{"required": ["log"]}, {"required": ["file"]}]
    definitions["ExceptionMatch"]["anyOf"] = [{"required": ["type"]}, {"required": ["message"]}]
    silence = {
        "description": "Removes the signature with this id.",
        "type": "object",
        "properties": {"schema": {"enum": ["1", 1]}, "id": fields["id"], "silence": {"const": "yes"}},
        "required": ["id", "silence"],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A signature of slurm-doctor",
        "anyOf": [schema, {"$ref": "#/$defs/Silence"}],
        "$defs": {**definitions, "Silence": silence},
    }


def _for_yaml(part: Any) -> Any:
    """Text becomes any scalar, and the word 1 may have been read as a number."""
    if isinstance(part, list):
        return [_for_yaml(item) for item in part]
    if not isinstance(part, dict):
        return part
    if "enum" in part:
        return {**part, "enum": [*part["enum"], 1]} if "1" in part["enum"] else part
    if part.get("type") == "string":
        return {**part, "type": _SCALAR}
    return {key: _for_yaml(value) for key, value in part.items()}
