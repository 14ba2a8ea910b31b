"""Packaging: the wheel carries the shipped rules compiled, so that an installed tool need not read a thousand YAML files."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRules(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled rules to the wheel. An editable install reads the YAML files, which may change."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        import msgspec

        from diagnose.signatures.compiler import compile_rules

        compiled = compile_rules([Path(self.root) / "rules"])
        if compiled.faults:
            raise ValueError("\n".join(map(str, compiled.faults)))
        file = Path(tempfile.mkdtemp()) / "compiled.json"
        file.write_bytes(msgspec.json.encode(compiled))
        build_data["force_include"][str(file)] = "diagnose/shipped_rules/compiled.json"
