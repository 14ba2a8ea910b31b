"""YAML as text: every scalar is a string, duplicate keys are faults, and every value knows its line.

YAML 1.1 turns ``no`` into False and ``1:0`` into 60; rules are about messages, so nothing is converted here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from diagnose.signatures.faults import Fault

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Document:
    """A parsed file: ``value`` made of str, list and dict; ``lines`` maps a path such as ``match[0]`` to its line."""

    file: str
    value: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, path: str, text: str) -> Fault:
        """Record a fault at ``path`` (the nearest parent with a known line)."""
        at = path
        while at and at not in self.lines:
            at = at[: max(at.rfind("."), at.rfind("["), 0)]
        found = Fault(self.file, self.lines.get(at, 1), path, text)
        self.faults.append(found)
        return found


def read_yaml(path: Path, shown_as: str | None = None) -> Document:
    """Read one file. Never raises for its content: what is wrong stands in ``Document.faults``."""
    document = Document(shown_as or str(path))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        document.fault("", f"cannot be read: {error}")
        return document
    return parse_yaml(text, document)


def parse_yaml(text: str, document: Document) -> Document:
    """Fill ``document`` from YAML text."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        document.lines[""] = mark.line + 1 if mark else 1
        document.fault("", f"not valid YAML: {getattr(error, 'problem', None) or error}")
        return document
    if node is not None:
        document.value = _plain(node, "", document)
    return document


def _plain(node: yaml.Node, path: str, document: Document) -> Any:
    document.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, f"{path}[{index}]", document) for index, item in enumerate(node.value)]
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else str(key_node)
        key_path = f"{path}.{key}" if path else key
        line = key_node.start_mark.line + 1
        if key in values:
            document.faults.append(Fault(document.file, line, key_path, "stands here a second time"))
            continue
        document.lines[key_path] = line
        values[key] = _plain(value_node, key_path, document)
    return values
