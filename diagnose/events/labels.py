"""Launcher prefixes: who printed this line, and where the program's own text begins.

Launchers put labels in front of each line, several at once: ``3: [default1]:[rank7]: text`` is srun task 3, local
rank 1, global rank 7. Which of them appear in a file is decided once per file, since ``0: text`` or ``node-01: text``
also occur in ordinary output. Forms: srun --label (``%*d: ``), torchrun --tee (``[default0]:``), PyTorch >= 2.2
(``[rank3]:``), mpirun --tag-output (``[1,3]<stderr>:``) and horovodrun (``[3]<stderr>:``), pdsh and DeepSpeed (``host: ``), Ray actors
(``(Worker pid=1, ip=10.0.0.1)``), pods and workers of clusters in the cloud, the CRI log format of Kubernetes, and NCCL (``host:pid:tid [dev]``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from diagnose.events.numbers import whole_number


@dataclass(frozen=True, slots=True)
class Label:
    """What the prefixes of one line say. ``task`` is srun's number: a rank or, under torchrun, a node index.

    ``attempt`` is what a path such as ``attempt_1`` says.
    """

    task: int | None = None
    rank: int | None = None
    local_rank: int | None = None
    host: str | None = None
    pid: int | None = None
    actor: str | None = None
    attempt: int | None = None

    @property
    def stream(self) -> tuple[object, ...]:
        """Lines with the same value were printed by one process, as far as their prefixes tell."""
        rank = None if self.rank == self.task else self.rank
        local = self.local_rank if self.actor is None else None
        return (self.task, rank, local, self.host, self.actor)


_CRI = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)? ?(?:std(?:out|err) [FP] |: ?(?=\[\d+,\d+\]))")
_SRUN = re.compile(rb" *(\d{1,6}):(?: |$)")
_MPIRUN = re.compile(
    rb"(?:\[\d+,(?:mpirank:)?(\d+)(?:,([\w-]+))?\](?:<std(?:out|err)>)?|\[(\d+)\]<std(?:out|err)>):\s?"
)
_POD = re.compile(
    rb"\[pod/(?P<pod>[\w.-]+)/[\w.-]+\] "
    rb"|(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?\[(?P<worker>[A-Za-z][\w.-]*), (?:unknown_ip|(?:\d{1,3}\.){3}\d{1,3})\] "
    rb"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?P<address>(?:\d{1,3}\.){3}\d{1,3}) \[\d+\] "
    rb"|\((?P<node>head|worker\d+), rank=\d+, pid=(?P<pid>\d+)(?:, ip=[\d.]+)?\) ?"
    rb"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\t(?P<host>[A-Za-z][\w.-]*):(?P<local>\d{1,3})\t"
    rb"|[A-Za-z][\w.-]*/\d{1,5} (?=\[(?:default|rank)\d)"
)
"""Forms that start with a pod, a worker or a node: kubectl logs --prefix, Azure ML, torch_xla's xla_dist, SkyPilot (whose
rank counts nodes), OLMo (host and local rank), torchx."""

_RAY = re.compile(rb"\((\w[\w.]*(?:\([^)]*\))?)(?: rank=(\d+))? pid=(\d+)(?:, ip=([\d.]+))?\) ?")
_RANK = re.compile(rb"\[rank ?(\d+)\]:(?: |(?=\[)|$)?")
_TEE = re.compile(rb"\[(?:default|trainer|worker|role)_?(\d+)\]: ?")
_HOST = re.compile(rb"([A-Za-z0-9][\w.-]{1,62}):(?: |$)")
_NCCL = re.compile(
    rb"(?:\[[\d: .-]+\] )?([A-Za-z0-9][\w.-]*):(\d+):\d+ (?:\[(\d{1,2})\] )?(?=NCCL|\S+\.(?:cc|h|cpp|cu):\d+|\S|$)"
)
_SYSLOG = re.compile(rb"(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ([\w.-]+) (?=[\w./-]+(?:\[\d+\])?:)")
_OMPI = re.compile(rb"\[([A-Za-z][\w.-]*):(\d+)(?:\s*:\d+:\d+)?\]")
_RANK_WORD = re.compile(
    rb"ProcessGroup\w+\.cpp:\d+\] \[(?:PG (?:ID )?0\b[^\]]{0,60} )?Rank (\d+)\]|"
    rb"\[(?:rank|RANK|rank:|Rank:) ?(\d+)\]|\[[^\]\[]{0,60}\brank=(\d+)\]|log_dist\] \[Rank (\d+)\]|\b(?:global_rank|GLOBAL_RANK)[ =:]+(\d+)\b"
)
_HOST_LIKE = re.compile(rb"(?:\d{1,3}\.){3}\d{1,3}|(?=[\w.-]*\d)[a-z][a-z0-9-]*[\w.-]*", re.IGNORECASE)
_NOT_A_HOST = re.compile(
    rb"(?:srun|sbatch|salloc|slurmstepd.*|slurmd|slurmctld|bash|sh|python[\d.]*|torchrun|mpirun|tee|ssh|env|W\d+|E\d+|[A-Z]{2}\d{4}"
    rb"|.*\.(?:py|sh|c|cc|cpp|cu|h|so|yaml|json)|.*(?:Error|Exception|Warning)|(?:step|epoch|iter|rank|gpu|line|frame|"
    rb"cuda|device|worker|layer|loss|lr|v|fp|bf|int|top|p|h|l|s|t|n|ncclSystemError)[_-]?\d+)$",
    re.IGNORECASE,
)


class Labeller:
    """Reads the prefixes of one file's lines. ``sample`` are some of its segments, to see which forms it uses."""

    def __init__(self, sample: Iterable[bytes]) -> None:
        lines = numbered = 0
        numbers: Counter[bytes] = Counter()
        hosts: Counter[bytes] = Counter()
        for text in sample:
            lines += 1
            if number := _SRUN.match(text):
                numbered += 1
                numbers[number.group(1)] += 1
            elif (host := _HOST.match(text)) and _is_host(host.group(1)):
                hosts[host.group(1)] += 1
        self.has_tasks = (numbered >= 2 and numbered >= lines * 0.15) or 0 < numbered == lines
        self.hosts = {host for host, count in hosts.items() if count >= 2 or hosts.total() == lines}
        if sum(hosts[host] for host in self.hosts) < lines * 0.1:
            self.hosts = set()

    def read(self, text: bytes) -> tuple[Label, bytes]:
        """Return the label of one segment and the text behind all its prefixes."""
        task = rank = local = pid = None
        host = actor = None
        at = 0
        if cri := _CRI.match(text):
            at = cri.end()
        if pod := _POD.match(text, at):
            names = [name for name in pod.group("pod", "worker", "address", "node", "host") if name]
            host, at = names[0].decode() if names else None, pod.end()
            pid, local = whole_number(pod.group("pid")), whole_number(pod.group("local"))
        if self.has_tasks and (found := _SRUN.match(text, at)):
            task, at = whole_number(found.group(1)), found.end()
        elif found := _MPIRUN.match(text, at):
            rank, at = whole_number(found.group(1) or found.group(3)), found.end()
            host = found.group(2).decode() if found.group(2) else host
        elif self.hosts and (found := _HOST.match(text, at)) and found.group(1) in self.hosts:
            host, at = found.group(1).decode(), found.end()
        while True:
            if found := _RANK.match(text, at):
                rank, at = whole_number(found.group(1)), found.end()
            elif found := _TEE.match(text, at):
                local, at = whole_number(found.group(1)), found.end()
            elif found := _RAY.match(text, at):
                actor = found.group(1).decode() + "/" + found.group(3).decode()
                rank = whole_number(found.group(2)) if found.group(2) else rank
                pid, at = whole_number(found.group(3)), found.end()
                host = found.group(4).decode() if found.group(4) else host
            else:
                break
        body = text[at:]
        return self._from_body(body, task, rank, local, host, pid, actor), body

    @staticmethod
    def _from_body(
        body: bytes,
        task: int | None,
        rank: int | None,
        local: int | None,
        host: str | None,
        pid: int | None,
        actor: str | None,
    ) -> Label:
        """Add what the program's own text says of its author, without removing it."""
        if found := _NCCL.match(body):
            host = host or found.group(1).decode()
            pid = whole_number(found.group(2))
            local = whole_number(found.group(3)) if found.group(3) else local
            actor = actor or f"nccl/{pid}"
        elif found := _SYSLOG.match(body):
            host = host or found.group(1).decode()
        elif found := _OMPI.match(body):
            host, pid = host or found.group(1).decode(), whole_number(found.group(2))
        if rank is None and (found := _RANK_WORD.search(body, 0, 120)):
            rank = whole_number(next(group for group in found.groups() if group))
        return Label(task, rank, local, host, pid, actor)


def _is_host(token: bytes) -> bool:
    return bool(_HOST_LIKE.fullmatch(token)) and not _NOT_A_HOST.match(token)
