"""YAML as text: every scalar is a string, duplicate keys are faults, and every value knows its line.

YAML 1.1 turns ``no`` into False and ``1:0`` into 60; rules are about messages, so nothing is converted here. Aliases are
refused: a rule is a page to read, and an alias may hold itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from diagnose.signatures.faults import Fault

DEEPEST = 32
"""Lists and mappings inside each other, far more than any rule has."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Document:
    """A parsed file: ``value`` made of str, list and dict; ``lines`` maps a path such as ``match[0]`` to its line."""

    file: str
    value: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    folder: Path | None = None
    """The folder of the file, where it is one: what a rule names beside itself lies there."""

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
    document = Document(shown_as or str(path), folder=path.parent)
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
    except RecursionError:
        document.fault("", _TOO_DEEP)
        return document
    if node is not None:
        document.value = _plain(node, "", document, set(), 0)
    return document


_TOO_DEEP = f"lists and mappings are nested more than {DEEPEST} deep"


def _plain(node: yaml.Node, path: str, document: Document, seen: set[int], depth: int) -> Any:
    line = node.start_mark.line + 1
    document.lines.setdefault(path, line)
    if id(node) in seen:
        document.faults.append(Fault(document.file, line, path, "aliases (*name) are not read; write it out"))
        return ""
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if depth >= DEEPEST:
        document.faults.append(Fault(document.file, line, path, _TOO_DEEP))
        return ""
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, f"{path}[{index}]", document, seen, depth + 1) for index, item in enumerate(node.value)]
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key_line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            document.faults.append(Fault(document.file, key_line, path, "a key must be a word, not a list or mapping"))
            continue
        key = key_node.value
        key_path = f"{path}.{key}" if path else key
        if key in values:
            document.faults.append(Fault(document.file, key_line, key_path, "stands here a second time"))
            continue
        document.lines[key_path] = key_line
        values[key] = _plain(value_node, key_path, document, seen, depth + 1)
    return values
