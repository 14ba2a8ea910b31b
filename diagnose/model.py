"""The nouns of the project, from a rule file to the answer. Data only: nothing here reads, prints or decides.

Conventions that hold everywhere: line numbers count ``\\n`` from 1 in the file as it lies on disk; offsets are
bytes from 0; ranks are global unless a name says ``local``; node names are the short names that the log prints;
times are ISO 8601 text in the answer and seconds inside the program.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Role = Literal["cause", "symptom", "exit", "context", "benign"]
Place = Literal["self", "peer", "node", "any"]
YesNo = Literal["yes", "no"]
Transient = Literal["likely", "unlikely", "unknown"]
Action = Literal["fix", "resubmit", "resubmit-excluding-node", "raise-limit", "contact-admin", "none"]
Verdict = Literal["ok", "failed", "unknown"]
Confidence = Literal["confirmed", "likely", "weak", "unknown"]
Emits = Literal["exit", "collective"]


# --------------------------------------------------------------------------------------------- a signature (rules/)


class Need(Struct, frozen=True, forbid_unknown_fields=True):
    """Another line of the same stream that a match depends on, or that adds captures to it."""

    pattern: str
    where: Literal["after", "before", "same"] = "after"
    lines: str = "5"
    required: YesNo = "yes"


class ExceptionMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """What an uncaught Python exception must look like; every part given must hold.

    ``type`` is a pattern for the whole class name, with or without its module; ``message`` is searched in the
    message (all its lines); ``frame`` is searched in each ``path/file.py:function`` of the stack; ``pick`` says
    which exception of a chain is looked at (``any`` by default).
    """

    type: str | None = None
    message: str | None = None
    frame: str | None = None
    pick: Literal["first", "last", "any"] = "any"


class TableRef(Struct, frozen=True, forbid_unknown_fields=True):
    """A table in rules/tables whose row for the captured ``key`` overrides fields of the signature."""

    file: str
    key: str


class Requires(Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about the job without which the signature says nothing."""

    ranks: str | None = None
    gpu: YesNo | None = None
    phase: Literal["before-first-step", "after-first-step"] | None = None


class Explanation(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be the cause of this event (ids or categories) and where to look for it."""

    any: list[str]
    on: Place = "any"


class When(Struct, frozen=True, forbid_unknown_fields=True):
    """The circumstances in which a fix applies."""

    saw: str | None = None
    on: Place = "any"
    silent: Literal["peer"] | None = None
    span: Literal["cross-node", "one-node"] | None = None
    phase: Literal["before-first-step", "after-first-step"] | None = None


class FixStep(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing to do; ``run`` is a command to paste. Both may use captures: ``{rank}``."""

    do: str
    run: str | None = None
    when: When | None = None


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """Log text in which the signature must be found, with the captures it must give.

    ``file`` names a file that holds the text, beside the rule; once loaded, ``log`` is what stands there.
    """

    log: str = ""
    file: str | None = None
    captures: dict[str, str] = {}


class Signature(Struct, frozen=True, forbid_unknown_fields=True):
    """One rule file. docs/writing-signatures.md explains every field."""

    schema: Literal["1"]
    id: str
    title: str
    category: str
    role: Role
    why: str
    match: list[str] = []
    exception: ExceptionMatch | None = None
    table: TableRef | None = None
    unless: list[str] = []
    needs: list[Need] = []
    requires: Requires | None = None
    refines: list[str] = []
    blames: Literal["self", "peer", "absent"] = "self"
    explained_by: list[Explanation] = []
    latent: YesNo = "no"
    transient: Transient = "unknown"
    emits: Emits | None = None
    fix: list[FixStep] = []
    next_time: list[str] = []
    action: Action | None = None
    references: list[str] = []
    examples: list[Example] = []
    near_misses: list[str] = []


# ------------------------------------------------------------------------------------------ the answer (JSON, v1)


class Tool(Struct, frozen=True):
    version: str
    rules: int


class Cause(Struct, frozen=True):
    """The line that best states the root cause."""

    file: str | None = None
    line: int | None = None
    text: str | None = None
    rank: int | Literal["all"] | None = None
    node: str | None = None
    time: str | None = None


class FirstFailure(Struct, frozen=True):
    """Who failed first. For a proven absent or lagging rank that rank, though others printed the evidence."""

    rank: int | Literal["all"] | None = None
    local_rank: int | None = None
    node: str | None = None
    pid: int | None = None
    time: str | None = None
    exit_code: int | None = None
    signal: str | None = None


class Exit(Struct, frozen=True):
    """How the first failing process ended, as the log states it. Signals are 128+N and, by name, ``signal``."""

    code: int | None = None
    signal: str | None = None
    meaning: str | None = None
    reporter: str | None = None
    file: str | None = None
    line: int | None = None


class Advice(Struct, frozen=True):
    do: str
    run: str | None = None


class StoryLine(Struct, frozen=True):
    time: str | None
    rank: int | Literal["all"] | None
    node: str | None
    file: str | None
    line: int | None
    text: str
    role: Literal["cause", "consequence", "exit", "context"]


class Cascade(Struct, frozen=True):
    events: int = 0
    ranks: list[int] = []
    nodes: list[str] = []


class Alternative(Struct, frozen=True):
    signature: str
    category: str
    line: int | None
    because: str


class Job(Struct, frozen=True):
    id: str | None = None
    name: str | None = None
    nodes: list[str] = []
    ranks: int | None = None
    launcher: str | None = None
    gpus: int | None = None
    started: str | None = None
    ended: str | None = None
    last_step: int | None = None
    last_checkpoint: str | None = None


class SlurmRecord(Struct, frozen=True):
    """What the scheduler itself says of the job (scontrol, sacct), not the log."""

    state: str | None = None
    exit_code: str | None = None
    derived_exit_code: str | None = None
    reason: str | None = None
    limit: str | None = None
    elapsed: str | None = None
    max_rss: str | None = None


class Incident(Struct, frozen=True):
    """One attempt (a launch, a restart, a requeue) of the job in the log."""

    attempt: int
    phase: str
    lines: tuple[int, int]
    ended: str
    category: str
    cause_line: int | None


class Stats(Struct, frozen=True):
    bytes: int
    lines: int
    seconds: float
    signatures: int
    engine: str


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The answer: schema_version 1. Every report format shows the same facts."""

    schema_version: Literal[1] = 1
    tool: Tool
    verdict: Verdict
    category: str
    signature: str | None
    title: str
    confidence: Confidence
    confidence_reasons: list[str]
    cause: Cause
    first_failure: FirstFailure
    exit: Exit
    why: str
    fix: list[Advice]
    next_time: list[str]
    action: Action
    transient: Transient
    exclude_nodes: list[str]
    story: list[StoryLine]
    cascade: Cascade
    absent_ranks: list[int]
    lagging_ranks: list[int]
    alternatives: list[Alternative]
    job: Job
    slurm: SlurmRecord | None
    timeline: list[StoryLine]
    incidents: list[Incident]
    notes: list[str]
    stats: Stats
