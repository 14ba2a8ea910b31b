"""The report for people: what failed, where, why, what followed, what to do.

Lines of 80 columns by default, as wide as 100 in a wide terminal; commands and quoted log lines are never wrapped.
Every report stands between two marker lines, so that a second diagnosis of a log that holds one can skip it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from diagnose.logs import BEGIN, END
from diagnose.model import Diagnosis, StoryLine
from diagnose.report.layout import NARROWEST, WIDEST, Part, Style, bullet, section, steps, wrapped
from diagnose.verdict import visible

LONGEST_QUOTE = 400


def text_report(found: Diagnosis, width: int = 80, verbose: bool = False) -> list[Part]:
    """All lines of the report, in order."""
    width = max(NARROWEST, min(width, WIDEST))
    parts = [Part(BEGIN, "dim", whole=True), *_headline(found, width)]
    if found.cause.line is not None:
        parts += [Part(""), *_quote(found)]
    parts += section("Why", wrapped(found.why, width))
    parts += section("What followed", _story(found.story[1:], width))
    parts += section("Exit code", wrapped(_exit_text(found), width))
    parts += section("What to do", steps(found.fix, width))
    parts += section("Next time", [line for text in found.next_time for line in bullet(text, width)])
    parts += section("How sure", wrapped(f"{found.confidence}: " + "; ".join(found.confidence_reasons), width))
    parts += section("Also seen", list(_others(found, width)) if verbose or found.confidence != "confirmed" else [])
    parts += section("Notes", [line for note in found.notes for line in bullet(note, width)])
    if verbose:
        parts += section("Facts", list(_facts(found)))
    return [*parts, Part(END, "dim", whole=True)]


def one_line(found: Diagnosis) -> str:
    """The answer in one line, for prompts and mails."""
    place = f" ({visible(found.cause.file or '')}:{found.cause.line})" if found.cause.line is not None else ""
    return f"{found.verdict}: {found.category}: {found.title}{place}"


def _headline(found: Diagnosis, width: int) -> list[Part]:
    word = {"ok": "No failure", "failed": "Failed", "unknown": "Cannot tell"}[found.verdict]
    style: Style = "good" if found.verdict == "ok" else "bad"
    head = f"{word}: {found.category}" if found.verdict == "failed" else word
    parts = [Part(head, style)]
    parts += [Part(line, "headline") for line in textwrap.wrap(found.title, width)]
    first = found.first_failure
    who = []
    if first.rank is not None:
        who.append("all ranks alike" if first.rank == "all" else f"rank {first.rank}")
    if first.node:
        who.append(f"on {first.node}" if who else f"somewhere on {first.node}")
    if who:
        parts.append(Part("First to fail: " + " ".join(who) + (f" at {first.time}" if first.time else "")))
    elif found.verdict == "failed":
        parts.append(Part("First to fail: the log does not prove which rank"))
    return parts


def _quote(found: Diagnosis) -> list[Part]:
    cause = found.cause
    text = (cause.text or "")[:LONGEST_QUOTE]
    return [
        Part(f"  {visible(cause.file or '')}:{cause.line}", "dim", whole=True),
        Part(f"  > {text}", "quote", whole=True),
    ]


def _story(story: list[StoryLine], width: int) -> list[Part]:
    parts = []
    for entry in story:
        where = f"line {entry.line}" if entry.line is not None else ""
        who = f" rank {entry.rank}:" if entry.rank is not None and entry.role != "exit" else ""
        lines = textwrap.wrap(f"{where:<10}{who} {entry.text}", width - 2, subsequent_indent=" " * 11)
        parts += [Part("  " + line) for line in lines]
    return parts


def _exit_text(found: Diagnosis) -> str:
    end = found.exit
    if end.code is None:
        return ""
    name = f" ({end.signal})" if end.signal else ""
    where = f"Reported by {end.reporter}, line {end.line}." if end.line is not None else "Given by the caller."
    return f"{end.code}{name}: {end.meaning or 'as the process itself chose'} {where}"


def _others(found: Diagnosis, width: int) -> Iterator[Part]:
    for other in found.alternatives:
        yield from bullet(f"{other.signature} ({other.category}), line {other.line}: {other.because}", width)


def _facts(found: Diagnosis) -> Iterator[Part]:
    job = found.job
    yield Part(
        f"  job {job.id or '?'}, {job.ranks or '?'} ranks on {', '.join(job.nodes) or '?'}, launcher {job.launcher or '?'}"
    )
    yield Part(
        f"  last step {job.last_step if job.last_step is not None else '?'}, last checkpoint {job.last_checkpoint or '?'}"
    )
    stats = found.stats
    yield Part(
        f"  {stats.lines} lines, {stats.bytes} bytes, {stats.seconds} s, {stats.signatures} signatures, engine {stats.engine}"
    )
    yield Part(f"  signature {found.signature or '-'}, action {found.action}, would a rerun help: {found.transient}")
