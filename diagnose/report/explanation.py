"""What a word means, as text of 80 columns to read or to paste into a ticket; the page of a signature on top of it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from diagnose.explain import Reading, SignaturePage, Step
from diagnose.model import Action, Role, Transient
from diagnose.report.layout import NARROWEST, WIDEST, Part, bullet, section, steps, wrapped
from diagnose.verdict import visible

MOST_NAMES = 12

_ROLES: dict[Role, str] = {
    "cause": "cause: the line states what went wrong",
    "symptom": "symptom: something else failed first",
    "exit": "exit report: a launcher or shell says that a process ended",
    "context": "context: worth knowing, no failure",
    "benign": "benign: looks like a failure and is none",
}
_ACTIONS: dict[Action, str] = {
    "fix": "mend the cause, then submit again",
    "resubmit": "submit the job again",
    "resubmit-excluding-node": "submit the job again without that node",
    "raise-limit": "ask for more of what ran out, then submit again",
    "contact-admin": "tell the administrators",
    "none": "nothing",
}
_AGAIN: dict[Transient, str] = {
    "likely": "likely to help",
    "unlikely": "unlikely to help",
    "unknown": "may help or not",
}


def text_readings(readings: Sequence[Reading], width: int = 80) -> list[Part]:
    """All readings of one word, one below the other."""
    parts: list[Part] = []
    for number, reading in enumerate(readings):
        if number:
            parts += [Part(""), Part("-" * _columns(width), "dim"), Part("")]
        parts += text_reading(reading, width)
    return parts


def text_reading(reading: Reading, width: int = 80) -> list[Part]:
    """One reading: what it is called, what it means, why it happens, what to do."""
    width = _columns(width)
    head = f"{reading.what[0].upper()}{reading.what[1:]}: "
    title = reading.title if reading.title.startswith(head) else head + reading.title
    parts = [Part(line, "headline") for line in textwrap.wrap(title, width)]
    parts += [Part(""), *_facts(reading, width)]
    parts += section("What it means", wrapped(reading.meaning or "", width))
    parts += section("Why", wrapped(reading.why or "", width))
    parts += section("What to do", steps([_plain(step) for step in reading.fix], width))
    parts += section("Next time", [line for text in reading.next_time for line in bullet(text, width)])
    return parts + section("References", [Part(f"  {url}", whole=True) for url in reading.references])


def text_signature_page(page: SignaturePage, width: int = 80) -> list[Part]:
    """Everything about one signature. Log text is shown with its control characters made harmless."""
    width = _columns(width)
    parts = text_reading(page.reading, width)
    parts += section("May be caused by", _names(page.explained_by, width))
    parts += section("May be the cause of", _names(page.explains, width))
    parts += section(f"May be the cause, as {page.reading.category}, of", _names(page.explains_by_category, width))
    parts += section("More exact than", _names(page.refines, width))
    parts += section("Less exact than", _names(page.refined_by, width))
    parts += section("Looks up", [Part(f"  rules/tables/{page.table}")] if page.table else [])
    parts += section("Examples", _quotes(page.examples))
    parts += section("Looks alike, and is not meant", _quotes(page.near_misses))
    return parts + section("File", [Part(f"  {page.file}", whole=True)])


def _columns(width: int) -> int:
    return max(NARROWEST, min(width, WIDEST))


def _facts(reading: Reading, width: int) -> list[Part]:
    facts = []
    if reading.category:
        title = f" ({reading.category_title})" if reading.category_title else ""
        facts.append(("Category", f"{reading.category}{title}"))
    if reading.role:
        facts.append(("Role", _ROLES[reading.role]))
    if reading.action:
        facts.append(("Action", _ACTIONS[reading.action]))
    if reading.transient:
        facts.append(("Running it again", _AGAIN[reading.transient]))
    indent = " " * 20
    return [
        Part(line)
        for name, text in facts
        for line in textwrap.wrap(f"  {name:<18}{text}", width, subsequent_indent=indent)
    ]


def _plain(step: Step) -> Step:
    return Step(f"If {step.when}: {step.do}", step.run) if step.when else step


def _names(names: Sequence[str], width: int) -> list[Part]:
    more = [f"and {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return wrapped(", ".join([*names[:MOST_NAMES], *more]), width)


def _quotes(texts: Sequence[str]) -> list[Part]:
    parts: list[Part] = []
    for number, text in enumerate(texts):
        parts += [Part("")] if number else []
        parts += [Part(f"  > {visible(line)}", "quote", whole=True) for line in text.split("\n")]
    return parts
