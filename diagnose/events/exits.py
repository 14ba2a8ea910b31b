"""Exit reports -> deaths: signatures that emit ``exit`` and the tables of torchelastic's reports, in one form.

Codes: a negative number or a signal's name is 128+N; srun's words are those of strsignal. Task lists are ``0-7,9``,
node sets ``n[1-3]`` (ClusterShell's notation).
"""

from __future__ import annotations

import re
import signal as signals
from collections.abc import Iterable

from diagnose.events.facts import Death, Event
from diagnose.events.numbers import whole_number

_WORDS = {
    "killed": "SIGKILL",
    "terminated": "SIGTERM",
    "aborted": "SIGABRT",
    "interrupt": "SIGINT",
    "hangup": "SIGHUP",
    "quit": "SIGQUIT",
    "segmentation fault": "SIGSEGV",
    "bus error": "SIGBUS",
    "floating point exception": "SIGFPE",
    "illegal instruction": "SIGILL",
    "user defined signal 1": "SIGUSR1",
    "user defined signal 2": "SIGUSR2",
    "trace/breakpoint trap": "SIGTRAP",
    "cpu time limit exceeded": "SIGXCPU",
    "broken pipe": "SIGPIPE",
    # shells in other languages
    **dict.fromkeys(
        [
            "getötet",
            "processus arrêté",
            "terminado (killed)",
            "matado",
            "ucciso",
            "morto",
            "已杀死",
            "已殺死",
            "强制终止",
            "強制終了",
            "убито",
        ],
        "SIGKILL",
    ),
    **dict.fromkeys(
        [
            "speicherzugriffsfehler",
            "erreur de segmentation",
            "violación de segmento",
            "errore di segmentazione",
            "falha de segmentação",
            "段错误",
            "段錯誤",
            "ошибка сегментирования",
        ],
        "SIGSEGV",
    ),
    **dict.fromkeys(["abgebrochen", "abandon", "abortado", "annullato", "已放弃", "аварийный останов"], "SIGABRT"),
}
MOST_TASKS = 65536


def deaths_of(events: Iterable[Event]) -> list[Death]:
    """One Death for each event whose signature emits ``exit``."""
    return [_death(event) for event in events if event.signature.emits == "exit"]


def _death(event: Event) -> Death:
    captures = event.captures
    code, name = normal_code(captures.get("exit_code"), captures.get("signal"))
    nodes = node_list(captures.get("node") or event.line.label.host or "")
    rank = captures.get("rank")
    return Death(
        reporter=event.signature.id.split("-")[0],
        line=event.line,
        code=code,
        signal=name,
        ranks=number_list(rank) if rank else (),
        tasks=number_list(captures.get("task", "")),
        local_rank=whole_number(captures.get("local_rank")),
        node=nodes[0] if len(nodes) == 1 else None,
        nodes=nodes,
        pid=whole_number(captures.get("pid")),
        clock=event.line.clock,
        stated_code=captures.get("exit_code") is not None,
        category=event.category if event.role == "cause" else None,
    )


def normal_code(code: str | None, signal: str | None) -> tuple[int | None, str | None]:
    """Return (exit code with signals as 128+N, name of the signal or None)."""
    number = whole_number(code, signed=True)
    if number is not None:
        if number < 0:
            return 128 - number, signal_name(-number)
        return number, signal_name(number - 128) if 128 < number <= 192 else None
    if not signal:
        return None, None
    word = signal.strip().lower().removesuffix("(core dumped)").strip()
    number_of_signal = whole_number(word)
    spelled = None if number_of_signal is None else signal_name(number_of_signal)
    name = _WORDS.get(word) or spelled or signal.strip().upper()
    if not name.startswith("SIG"):
        name = "SIG" + name
    try:
        return 128 + int(signals.Signals[name]), name
    except KeyError:
        return None, None


def signal_name(number: int) -> str | None:
    """``9`` -> ``SIGKILL``; None where the number is no signal."""
    try:
        return signals.Signals(number).name
    except ValueError:
        return None


def number_list(text: str) -> tuple[int, ...]:
    """``0-2,9`` -> (0, 1, 2, 9); parts that are no numbers are skipped."""
    numbers: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if found:
            first, last = int(found[1]), int(found[2] or found[1])
            numbers += range(first, min(last, first + MOST_TASKS) + 1)
    return tuple(numbers)


def node_list(text: str) -> tuple[str, ...]:
    """``n[1-3]`` -> (n1, n2, n3); a plain name gives itself."""
    if not text:
        return ()
    if "[" not in text and "," not in text:
        return (text,)
    spans = [int(last) - int(first) for first, last in re.findall(r"(\d{1,9})-(\d{1,9})", text)]
    if re.search(r"\d{10}", text) or sum(spans) > MOST_TASKS:
        return (text,)
    from ClusterShell.NodeSet import NodeSet, NodeSetException  # 40 ms: only where a set is printed

    try:
        return tuple(NodeSet(text))
    except NodeSetException:
        return (text,)
