"""Who died, who died first, and which deaths are only the launcher cleaning up.

SIGTERM, an abort after a watchdog's timeout and the exit of a launcher are consequences. What is left are bare deaths:
a signal or a non-zero code of a process that printed no reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from diagnose.events import Death, Facts
from diagnose.verdict.order import Order
from diagnose.verdict.topology import Topology

_STEP_ENDS = (
    b"Terminating StepId",
    b"Terminating job step",
    b"Job step aborted",
    b"Force Terminated",
    b"First task exited",
    b"forcing job termination",
    b" CANCELLED AT ",
)

_KILLS_ITS_OWN = b"Received sigquit from a child process"
"""SGLang says this and kills its own processes."""

CRASH_SIGNALS = {"SIGKILL", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"}
TEARDOWN_SIGNALS = {"SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"}


@dataclass
class Ending:
    """One or several reports about the end of the same processes, merged."""

    reports: list[Death]
    ranks: tuple[int, ...]
    node: str | None
    nodes: tuple[str, ...]
    launcher: bool
    torn_down: bool = False
    before_teardown: bool = True
    local_rank: int | None = None
    pid: int | None = None
    tasks: tuple[int, ...] = field(default_factory=tuple)

    @property
    def first(self) -> Death:
        return self.reports[0]

    @property
    def code(self) -> int | None:
        return next((death.code for death in self.reports if death.code is not None), None)

    @property
    def signal(self) -> str | None:
        return next((death.signal for death in self.reports if death.signal), None)

    @property
    def stated(self) -> Death:
        """The report that states the code best: with a number, by the process's own parent."""
        order = {"torchelastic": 0, "shell": 1, "srun": 2}
        return min(self.reports, key=lambda death: (death.code is None, order.get(death.reporter, 1)))

    @property
    def category(self) -> str | None:
        """The root cause that a report states itself, for example Slurm's "Out Of Memory"."""
        return next((death.category for death in self.reports if death.category), None)

    @property
    def crashed(self) -> bool:
        return self.signal in CRASH_SIGNALS


def merge_endings(facts: Facts, topology: Topology, order: Order) -> list[Ending]:
    """Every failed process once, in order of time; processes that ended with 0 are left out."""
    endings: list[Ending] = []
    for death in sorted(facts.deaths, key=lambda death: order.key(death.line)):
        if death.code == 0:
            continue
        ranks = topology.ranks_of(death)
        twin = next((ending for ending in endings if _same(ending, death, ranks)), None)
        if twin is not None:
            twin.reports.append(death)
            twin.ranks = twin.ranks or ranks
            twin.node = twin.node or death.node
            twin.nodes = twin.nodes or death.nodes
            twin.local_rank = twin.local_rank if twin.local_rank is not None else death.local_rank
            continue
        endings.append(
            Ending(
                [death],
                ranks,
                topology.node_of(death),
                death.nodes,
                launcher=_is_launcher(death, topology),
                torn_down=death.signal in TEARDOWN_SIGNALS,
                local_rank=death.local_rank,
                pid=death.pid,
                tasks=death.tasks,
            )
        )
    endings = _with_words_of_the_shell(endings)
    endings.sort(key=lambda ending: _moment(ending.reports, order))
    _mark_kills_of_the_teardown(endings, facts)
    return endings


def _with_words_of_the_shell(endings: list[Ending]) -> list[Ending]:
    """A wrapper script's "line 14: 4711 Segmentation fault" and the only process that left with that code are one death."""
    kept = list(endings)
    for words in endings:
        if words.first.reporter != "shell" or words.ranks or words.nodes or words.code is None:
            continue
        same = [ending for ending in kept if ending.code == words.code]
        others = [ending for ending in same if ending.first.reporter != "shell"]
        if len(same) == 2 and len(others) == 1 and max(len(others[0].ranks), len(others[0].tasks)) <= 1:
            others[0].reports.insert(0, words.first)
            others[0].pid = others[0].pid or words.pid
            kept.remove(words)
    return kept


def _mark_kills_of_the_teardown(endings: list[Ending], facts: Facts) -> None:
    """A SIGKILL that follows another failure and srun's announcement that it ends the step is no cause."""
    failed = [ending.first.line.index for ending in endings if ending.signal is None and ending.code not in (0, None)]
    lines = facts.text.lines
    own = min((line.index for line in lines if _KILLS_ITS_OWN in line.text), default=len(lines))
    for ending in endings:
        ending.torn_down = ending.torn_down or (ending.signal == "SIGKILL" and ending.first.line.index > own)
    ends = [line.index for line in lines if any(sign in line.text for sign in _STEP_ENDS)]
    if not ends:
        return
    for ending in endings:
        ending.before_teardown = ending.first.line.index < min(ends)
        if (
            failed
            and ending.signal == "SIGKILL"
            and min(failed) < ending.first.line.index
            and min(ends) < ending.first.line.index
        ):
            ending.torn_down = True


def _moment(reports: Sequence[Death], order: Order) -> tuple[float, int]:
    """When the processes ended: the earliest clock of a report, else where it stands."""
    return min(order.key(death.line) for death in reports)


def _is_launcher(death: Death, topology: Topology) -> bool:
    """Whether the report is about torchrun, deepspeed or a wrapper rather than about a rank."""
    if death.reporter == "srun":
        return not topology.task_is_rank
    return (
        death.reporter in ("torchelastic", "deepspeed", "accelerate", "flux")
        and not death.ranks
        and death.local_rank is None
    )


def _same(ending: Ending, death: Death, ranks: tuple[int, ...]) -> bool:
    for known in ending.reports:
        if known.code != death.code and None not in (known.code, death.code):
            continue
        if death.pid is not None and known.pid == death.pid and death.reporter != known.reporter:
            return known.node is None or death.node is None or known.node == death.node
        if death.pid is not None and known.pid == death.pid and known.local_rank == death.local_rank:
            return True
        if ranks and ending.ranks == ranks and len(ranks) == 1 and death.reporter != known.reporter:
            return True
    return False


def failed_alone(endings: Iterable[Ending]) -> list[Ending]:
    """The endings that are no teardown and concern ranks, else those of launchers."""
    real = [ending for ending in endings if not ending.torn_down]
    return [ending for ending in real if not ending.launcher] or real
