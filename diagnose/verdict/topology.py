"""Who runs where: the meaning of labels, ranks to nodes, pids to ranks, learnt from the log itself.

srun's label is a rank when srun starts the ranks itself, and a node index when it starts one launcher per node
(torchrun, deepspeed, accelerate). ``[defaultN]`` and NCCL's ``[dev]`` are local.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from diagnose.events import Death, Facts, Line, whole_number

_ONE_LAUNCHER_PER_NODE = (
    b"torch/distributed/elastic",
    b"torch.distributed.elastic",
    b"torch/distributed/run.py",
    b"torch.distributed.run",
    b"torch/distributed/launch",
    b"launcher/launch.py",
    b"'--local_rank=",
    b"Killing subprocess ",
    b"[launch.py:",
    b"accelerate/commands/launch",
    b"ray::",
    b"ray.exceptions.",
)


@dataclass(frozen=True, slots=True)
class Who:
    """The process behind a line, as far as the log proves it."""

    rank: int | None = None
    node: str | None = None
    local_rank: int | None = None
    pid: int | None = None

    def __str__(self) -> str:
        if self.rank is not None:
            return f"rank {self.rank}" + (f" on {self.node}" if self.node else "")
        return self.node or "a rank"


@dataclass
class Topology:
    """What is known of ranks, tasks, nodes and processes."""

    task_is_rank: bool = True
    launcher: str | None = None
    world: int | None = None
    local_size: int | None = None
    nodes: list[str] = field(default_factory=list)
    ranks: set[int] = field(default_factory=set)
    speaking: set[int] = field(default_factory=set)
    """Ranks of which the log has lines of their own."""
    node_of_rank: dict[int, str] = field(default_factory=dict)
    node_of_task: dict[int, str] = field(default_factory=dict)
    rank_of_pid: dict[tuple[str, int], int] = field(default_factory=dict)
    rank_of_device: dict[tuple[str, int], int] = field(default_factory=dict)

    def are_all(self, ranks: set[int]) -> bool:
        """Whether these are all ranks of the job, as far as the log knows how many there are."""
        size = self.world or max(self.ranks, default=-1) + 1
        return bool(ranks) and ranks >= self.ranks and len(ranks) >= size

    @property
    def only_node(self) -> str | None:
        """The node, where nothing in the log points to a second one."""
        ranks = self.ranks | ({self.world - 1} if self.world else set())
        if len(self.nodes) == 1 and max(ranks, default=0) < (self.local_size or 8):
            return self.nodes[0]
        return None

    def who(self, line: Line, captures: Mapping[str, str] | None = None) -> Who:
        """Who printed a line, or whom its captures name."""
        captures = captures or {}
        label = line.label
        node = _one_node(captures.get("node")) or label.host
        rank = whole_number(captures.get("rank"))
        local = whole_number(captures.get("local_rank"))
        local = label.local_rank if local is None else local
        pid = whole_number(captures.get("pid")) or label.pid
        if rank is None:
            rank = label.rank
        if rank is None and self.task_is_rank:
            rank = whole_number(captures.get("task"))
        if rank is None and label.task is not None:
            if self.task_is_rank:
                rank = label.task
            elif local is not None and self.local_size:
                rank = label.task * self.local_size + local
        if rank is None and node is not None:
            rank = self._rank_of(node, pid)
            if rank is None and local is not None:
                rank = self._rank_on(node, local)
        if node is None and rank is not None:
            node = self.node_of_rank.get(rank)
        if node is None and label.task is not None:
            node = self.node_of_task.get(label.task)
        return Who(rank, node or self.only_node, local, pid)

    def _rank_of(self, node: str, pid: int | None) -> int | None:
        """The rank of a process; a host that reports know under another name is found by a pid that only one rank has."""
        if pid is None or (node, pid) in self.rank_of_pid:
            return self.rank_of_pid.get((node, pid or -1))
        if any(name == node for name, _ in self.rank_of_pid):
            return None
        found = {rank for (_, other), rank in self.rank_of_pid.items() if other == pid}
        return found.pop() if len(found) == 1 else None

    def _rank_on(self, node: str, local: int) -> int | None:
        """The rank of a device: as learnt, or from the others of its node where they all lie equally far apart."""
        known = self.rank_of_device.get((node, local))
        if known is not None:
            return known
        offsets = {rank - device for (name, device), rank in self.rank_of_device.items() if name == node}
        pairs = sum(name == node for name, _ in self.rank_of_device)
        return offsets.pop() + local if len(offsets) == 1 and pairs > 1 else None

    def ranks_of(self, death: Death) -> tuple[int, ...]:
        """The global ranks of an exit report; empty where its tasks are launchers or nothing is known."""
        if death.ranks:
            return death.ranks
        if death.tasks and self.task_is_rank:
            return death.tasks
        label = death.line.label
        if death.reporter == "srun":
            return ()
        if death.local_rank is not None:
            if label.task is not None and not self.task_is_rank and self.local_size:
                return (label.task * self.local_size + death.local_rank,)
            found = self.rank_of_device.get((death.node or label.host or "", death.local_rank))
            return (found,) if found is not None else ()
        if label.rank is not None:
            return (label.rank,)
        return (label.task,) if label.task is not None and self.task_is_rank else ()

    def node_of(self, death: Death) -> str | None:
        """The node of an exit report, where it is one."""
        if death.nodes:
            return death.node
        nodes = {self.node_of_rank.get(rank) for rank in self.ranks_of(death)}
        if len(nodes) == 1 and None not in nodes:
            return nodes.pop()
        return self.who(death.line).node


def learn_topology(facts: Facts) -> Topology:
    """Collect what labels, banners and reports say."""
    topology = Topology()
    _learn_launcher(facts, topology)
    _learn_marks(facts, topology)
    _learn_deaths(facts, topology)
    _learn_labels(facts, topology)
    return topology


def _learn_launcher(facts: Facts, topology: Topology) -> None:
    pairs: Counter[bool] = Counter()
    tee = False
    per_node = False
    sources: Counter[str] = Counter()
    for line in facts.text.lines:
        label = line.label
        if label.task is not None and label.rank is not None and (label.task or label.rank):
            pairs[label.task == label.rank] += 1
        per_node = per_node or (label.actor is not None and label.actor[0].isupper())
        tee = tee or (label.task is not None and label.local_rank is not None and label.actor is None)
        if any(sign in line.text for sign in _ONE_LAUNCHER_PER_NODE):
            per_node = True
            sources["deepspeed" if b"launch.py:" in line.text else "torchrun"] += 1
        elif line.text.startswith((b"srun: ", b"slurmstepd")):
            sources["srun"] += 1
        elif b"mpirun" in line.text or b"ORTE" in line.text or b"PRTE" in line.text:
            sources["mpirun"] += 1
    topology.task_is_rank = not pairs[False] and (bool(pairs[True]) or not (tee or per_node))
    for name in ("deepspeed", "torchrun", "srun", "mpirun"):
        if sources[name]:
            topology.launcher = name
            break


def _learn_marks(facts: Facts, topology: Topology) -> None:
    marks = facts.of_kind("topology")
    sizes = [size for mark in marks if (size := whole_number(mark.captures.get("world_size")))]
    topology.world = max(sizes, default=None)
    for mark in marks:
        captures, label = mark.captures, mark.line.label
        rank = whole_number(captures.get("rank"))
        rank = label.rank if rank is None else rank
        node = captures.get("node") or label.host
        local = whole_number(captures.get("local_rank"))
        subgroup = (
            mark.marker.row.get("scope") == "communicator"
            and whole_number(captures.get("world_size")) != topology.world
        )
        if rank is None or subgroup:
            continue
        topology.ranks.add(rank)
        if node:
            topology.node_of_rank.setdefault(rank, node)
            pid = whole_number(captures.get("pid")) or label.pid
            if pid is not None:
                topology.rank_of_pid.setdefault((node, pid), rank)
            device = label.local_rank if local is None else local
            if device is not None:
                topology.rank_of_device.setdefault((node, device), rank)


def _learn_deaths(facts: Facts, topology: Topology) -> None:
    sizes: Counter[int] = Counter()
    starts: dict[str, int] = {}
    for death in facts.deaths:
        if len(death.ranks) == 1 and death.node and death.pid is not None:
            topology.rank_of_pid.setdefault((death.node, death.pid), death.ranks[0])
        for rank in death.ranks:
            topology.ranks.add(rank)
            if death.node:
                topology.node_of_rank.setdefault(rank, death.node)
            if death.local_rank is not None and death.node:
                starts.setdefault(death.node, rank - death.local_rank)
                topology.rank_of_device.setdefault((death.node, death.local_rank), rank)
        if death.node:
            for task in death.tasks:
                topology.node_of_task.setdefault(task, death.node)
                if topology.task_is_rank:
                    topology.ranks.add(task)
                    topology.node_of_rank.setdefault(task, death.node)
    for start in starts.values():
        if start > 0:
            sizes[start] += 1
    if sizes and not topology.task_is_rank:
        topology.local_size = min(sizes)


def _learn_labels(facts: Facts, topology: Topology) -> None:
    nodes: dict[str, None] = {}
    highest_local = -1
    for node in [*topology.node_of_rank.values(), *topology.node_of_task.values()]:
        nodes.setdefault(node)
    for death in facts.deaths:
        for node in death.nodes:
            nodes.setdefault(node)
    for mark in facts.of_kind("topology"):
        if "node" in mark.captures:
            nodes.setdefault(mark.captures["node"])
    for line in facts.text.lines:
        label = line.label
        rank = label.rank
        if rank is None and topology.task_is_rank:
            rank = label.task
        if rank is not None:
            topology.ranks.add(rank)
            topology.speaking.add(rank)
            if label.host:
                topology.node_of_rank.setdefault(rank, label.host)
        if label.host:
            nodes.setdefault(label.host)
        if label.local_rank is not None:
            highest_local = max(highest_local, label.local_rank)
    for event in facts.events:
        named = _one_node(event.captures.get("node"))
        if named and event.role != "benign":
            nodes.setdefault(named)
    topology.nodes = list(nodes)
    if topology.local_size is None and highest_local >= 0 and not topology.task_is_rank:
        topology.local_size = highest_local + 1


def _one_node(text: str | None) -> str | None:
    return text if text and "[" not in text and "," not in text else None
