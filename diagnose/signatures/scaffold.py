"""A pasted log line -> the beginnings of a rule file: what can be derived is there, what a person must say is marked.

The text is escaped, and what changes from run to run becomes captures: numbers, paths, hosts, addresses.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from diagnose.signatures.literals import required_literals
from diagnose.signatures.load import FILL_IN
from diagnose.signatures.patterns import search

PLACEHOLDER = "the message, as the program prints it"

_PARTS = re.compile(
    r"(?P<url>https?://[^\s'\"<>]+)"
    r"|(?P<path>(?<![\w.:])~?(?:/[\w.@%+=~-]+){2,}/?)"
    r"|(?P<address>0x[0-9a-fA-F]+)"
    r"|(?P<host>(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|\[?\b(?:[0-9a-f]{1,4}:+){3,7}[0-9a-f]{1,4}\b\]?)"
    r"|(?P<node>\b(?:node|nid|host|compute|dgx|gpu-?node|cn|worker)[\w-]*\d[\w-]*(?:\.[\w-]+)*)"
    r"|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?!\.?\d)(?![A-Za-z_]{5}))"
)
_PATTERNS = {
    "url": r"https?://[^\s'\"<>]+",
    "path": r"~?/[^\s'\",:)]+",
    "address": r"0x[0-9a-fA-F]+",
    "host": r"[\w.-]+|\[?[0-9a-fA-F:]+\]?",
    "node": r"[\w.-]+",
    "number": r"\d+",
}
_NAMED = re.compile(
    r"(?:^|[^A-Za-z])(?:(?P<local_rank>local[ _-]?rank)|(?P<rank>rank)|(?P<peer>peer)|(?P<exit_code>exit[ _-]?code)|(?P<port>port|\d\]?(?=:))|(?P<pid>pid)"
    r"|(?P<signal>signal)|(?P<step>step|iteration)|(?P<gpu>gpu|device|cuda)|(?P<task>task)|(?P<seq>seqnum|seq)"
    r"|(?P<world_size>world[ _-]?size))\s*[=:#]?\s*$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?|[IWEF]\d{3,4} \d\d:\d\d:\d\d[.\d]*|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
    r"\W*(?:(?:ERROR|WARNING|WARN|INFO|CRITICAL|DEBUG|FATAL)\b\W*)?"
)


def pattern_of(text: str) -> str:
    """A pattern for a line whose launcher prefix is gone. A clock in front is left out."""
    text = _without_head(text)
    pieces = []
    at = 0
    used: dict[str, int] = {}
    for part in _PARTS.finditer(text):
        kind = part.lastgroup or "number"
        name, shape = kind, _PATTERNS[kind]
        if kind == "number":
            name = _name_of_number(text[: part.start()])
            shape = ("-?" if part.group()[0] == "-" else "") + (r"\d+(?:\.\d+)?" if "." in part.group() else r"\d+")
        used[name] = used.get(name, 0) + 1
        name = name if used[name] == 1 else f"{name}_{used[name]}"
        pieces += [_escaped(text[at : part.start()]), f"(?P<{name}>{shape})"]
        at = part.end()
    return "".join([*pieces, _escaped(text[at:])])


def _without_head(text: str) -> str:
    head = _HEAD.match(text)
    return text[head.end() if head else 0 :].strip()


def _name_of_number(before: str) -> str:
    """The name of a capture with a fixed meaning, where the word before the number is one."""
    named = _NAMED.search(before)
    return named.lastgroup if named and named.lastgroup else "number"


def _escaped(text: str) -> str:
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)


def scaffold(name: str, log: str, text: str) -> str:
    """The YAML of a new rule. ``log`` is what was pasted, ``text`` its decisive line behind the launcher's prefix."""
    pattern = pattern_of(text)
    captures = {
        key: value.decode("utf-8", "replace") for key, value in (search(pattern, text.encode()) or {}).items() if value
    }
    example: dict[str, Any] = {"log": log.rstrip("\n")} | ({"captures": captures} if captures else {})
    rule = {
        "schema": 1,
        "id": name,
        "title": f"{FILL_IN}: what happened, in one line; {{name}} takes a capture",
        "category": FILL_IN,
        "role": "symptom",
        "match": [pattern],
        "why": f"{FILL_IN}: what it means, and the two or three most likely causes",
        "fix": [{"do": f"{FILL_IN}: what to do first"}],
        "references": [],
        "examples": [example],
        "near_misses": [f"{FILL_IN}: {_near_miss(pattern)}"],
    }
    body: str = yaml.safe_dump(rule, sort_keys=False, allow_unicode=True, width=10**6)
    return f"{_HEADER}{body}"


_HEADER = f"""\
# Replace what says {FILL_IN}; docs/writing-signatures.md in the repository explains every key.
# role: cause (the line states what went wrong), symptom (something else failed first), exit, context or benign.
# near_misses: a line that shares text with the pattern, but is harmless or something else.
"""


def _near_miss(pattern: str) -> str:
    """The longest literal of the pattern, so far that it does not match: a near miss has to share text."""
    literal = max(required_literals(pattern)[0], key=len).decode("utf-8", "replace")
    return literal if search(pattern, literal.encode()) is None else literal[:-1]
