"""Made-up jobs of any size: what each rank prints, merged the way launchers, clocks and buffers merge it.

The texts have the form that the programs print (PyTorch 2.0 to 2.7, NCCL, Slurm 20.11 to 25.05, torchelastic); the
merge is the hard part: labels of three launch styles, clock skew between nodes, lines without a clock, buffered
standard output, several files.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

Style = Literal["srun", "torchrun", "none"]
START = datetime(2026, 3, 4, 2, 0, 0)
PER_NODE = 8


@dataclass(frozen=True)
class Truth:
    """What a right diagnosis says. ``rank`` None: must not be named; ``lines`` hold a text of the root line."""

    verdict: str
    categories: tuple[str, ...]
    root: str | None = None
    rank: int | None = None
    node: str | None = None
    exit_code: int | None = None


@dataclass
class Job:
    """A job in the making: ``say`` lets a rank print, ``slurm`` lets Slurm do so."""

    ranks: int
    style: Style
    seed: int = 0
    skew_hours: float = 0.0
    without_clock: float = 0.0
    buffered: bool = False
    only_rank_0: bool = False
    elastic: bool = False
    lines: list[tuple[float, int, int | None, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.skews = [self.chance.uniform(-self.skew_hours, self.skew_hours) for _ in range(self.nodes)]
        self.count = 0

    @property
    def nodes(self) -> int:
        return max(1, self.ranks // PER_NODE)

    def node(self, rank: int) -> str:
        return f"node-{rank // PER_NODE + 1:03d}"

    def say(self, at: float, rank: int, *texts: str) -> None:
        """Let a rank print lines at ``at`` seconds after the start; each keeps its place after the one before."""
        for text in texts:
            self.count += 1
            self.lines.append((at, self.count, rank, text))

    def slurm(self, at: float, *texts: str) -> None:
        """Let srun or slurmstepd print lines."""
        for text in texts:
            self.count += 1
            self.lines.append((at, self.count, None, text))

    def stamp(self, at: float, rank: int) -> datetime:
        """What the clock of the rank's node shows."""
        return START + timedelta(seconds=at, hours=self.skews[rank // PER_NODE])

    def glog(self, at: float, rank: int, severity: str = "E") -> str:
        """The head of a PyTorch C++ log line (2.4 and later)."""
        now = self.stamp(at, rank)
        return f"[rank{rank}]:[{severity}{now.month * 100 + now.day} {now:%H:%M:%S}.{self.chance.randrange(10**9):09d} "

    # ---------------------------------------------------------------------------------------------- what is printed

    def start(self) -> None:
        """Every rank initialises NCCL."""
        for rank in range(self.ranks):
            host, pid = self.node(rank), 4000 + rank
            text = (
                f"{host}:{pid}:{pid + 90000} [{rank % PER_NODE}] NCCL INFO ncclCommInitRank comm 0x55{rank:06x} rank {rank} "
                f"nranks {self.ranks} cudaDev {rank % PER_NODE} nvmlDev {rank % PER_NODE} busId {rank % PER_NODE}b000 "
                "commId 0x1a2b3c - Init COMPLETE"
            )
            if not self.only_rank_0 or rank == 0:
                self.say(10 + self.chance.random(), rank, text)

    def train(self, first: int, last: int, at: float, seconds: float = 2.0) -> float:
        """Rank 0 logs steps; returns the time after the last."""
        for step in range(first, last + 1):
            text = (
                f" iteration {step:8d}/    2000 | consumed samples: {step * 16:12d} | "
                f"elapsed time per iteration (ms): {seconds * 1000:.1f} | lm loss: {9 / step:.6E} | loss scale: 1.0 |"
            )
            if self.chance.random() >= self.without_clock:
                text = f" [{self.stamp(at, 0):%Y-%m-%d %H:%M:%S}]" + text
            self.say(at, 0, text)
            at += seconds
        return at

    def traceback(self, at: float, rank: int, last: str, head: str | None = None) -> None:
        """An uncaught exception, with the rank's label as PyTorch 2.2 and later print it; threads (``head``) have none."""
        frames = [
            "Traceback (most recent call last):",
            '  File "/work/train.py", line 210, in main',
            "    train_step(batch)",
        ]
        label = "" if head else f"[rank{rank}]: "
        self.say(at, rank, *([head] if head else []), *(label + text for text in [*frames, last]))

    def watchdog(
        self, at: float, rank: int, seq: int, op: str = "ALLREDUCE", numel: int = 4096, enqueued: int | None = None
    ) -> None:
        """A watchdog time-out with the state of the group, as PyTorch 2.6 and later print it, and the abort."""
        head = self.glog(at, rank)
        self.say(
            at, rank,
            f"{head}ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, "
            f"OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)=600000) ran for 600{self.chance.randrange(99):03d} milliseconds before timing out.",
            f"{head}ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} "
            f"PG status: last enqueued work: {seq if enqueued is None else enqueued}, last completed work: {seq - 1}",
            f"{head}ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of "
            "CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head}ProcessGroupNCCL.cpp:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        )  # fmt: skip

    def gloo_lost(self, at: float, rank: int) -> None:
        self.traceback(
            at, rank,
            "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.7]:6057. "
            "This is typically caused by a remote worker crashing. Check the logs of the remote worker before reporting an error.",
        )  # fmt: skip

    def died(self, at: float, ranks: list[int], how: str) -> None:
        """srun reports tasks that ended; under torchrun the agents do, and srun reports the agents."""
        by_node: dict[int, list[int]] = {}
        for rank in ranks:
            by_node.setdefault(rank // PER_NODE, []).append(rank)
        for place, members in sorted(by_node.items()):
            host = f"node-{place + 1:03d}"
            if self.style == "torchrun" or self.elastic:
                self._report(at, place, members, how)
                self.slurm(at + 2, f"srun: error: {host}: task {place}: Exited with exit code 1")
            else:
                listed = _ranges(members)
                self.slurm(at, f"srun: error: {host}: task{'s' if len(members) > 1 else ''} {listed}: {how}")

    def _report(self, at: float, place: int, members: list[int], how: str) -> None:
        code = {"Killed": -9, "Aborted": -6, "Segmentation fault": -11, "Terminated": -15}.get(how)
        code = int(how.rsplit(" ", 1)[1]) if code is None else code
        now = self.stamp(at, members[0])
        agent = place * PER_NODE
        rows = [
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "train.py FAILED",
            "-" * 60,
            "Failures:",
        ]
        entries = []
        for index, rank in enumerate(members):
            signal = (
                f"  ({ {-9: 'SIGKILL', -6: 'SIGABRT', -11: 'SIGSEGV', -15: 'SIGTERM'}[code] })" if code < 0 else " "
            )
            entries.append([
                f"[{index}]:", f"  time      : {now:%Y-%m-%d_%H:%M:%S}", f"  host      : {self.node(rank)}",
                f"  rank      : {rank} (local_rank: {rank % PER_NODE})", f"  exitcode  : {code} (pid: {4000 + rank}){signal}".rstrip(),
                "  error_file: <N/A>", "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
            ])  # fmt: skip
        for entry in entries[1:] or [["  <NO_OTHER_FAILURES>"]]:
            rows += entry
        rows += ["-" * 60, "Root Cause (first observed failure):", *entries[0], "=" * 60]
        self.say(at + 1, -1 - agent, *rows)

    # ---------------------------------------------------------------------------------------------------- the merge

    def merged(self) -> str:
        """One log, in the order in which the lines reach the file."""
        return "".join(text + "\n" for _, text in self._placed())

    def per_node(self) -> dict[str, str]:
        """One log for each node, and one for Slurm's own lines."""
        files: dict[str, str] = {}
        for node, text in self._placed():
            name = f"log-{node}.out" if node else "slurm.out"
            files[name] = files.get(name, "") + text + "\n"
        return files

    def _placed(self) -> list[tuple[str | None, str]]:
        delays: dict[int | None, float] = {}
        placed = []
        for at, order, rank, text in self.lines:
            delay = 0.0
            if self.buffered and rank is not None and "iteration " in text:  # standard output; standard error is not
                delay = delays.setdefault(rank, self.chance.uniform(0, 60))
            placed.append((at + delay, order, rank, text))
        placed.sort(key=lambda item: (item[0], item[1]))
        width = len(str(self.ranks - 1))
        out = []
        for _, _, rank, text in placed:
            if rank is None:
                out.append((None, text))
                continue
            agent = rank < 0
            rank = -1 - rank if agent else rank
            label = ""
            if self.style == "srun":
                label = f"{rank:>{width}}: "
            elif self.style == "torchrun":
                label = f"{rank // PER_NODE:>{len(str(self.nodes - 1))}}: " + (
                    "" if agent else f"[default{rank % PER_NODE}]:"
                )
            out.append((self.node(rank), label + text))
        return out


def _ranges(numbers: list[int]) -> str:
    parts: list[str] = []
    start = previous = numbers[0]
    for number in [*numbers[1:], -2]:
        if number == previous + 1:
            previous = number
            continue
        parts.append(str(start) if start == previous else f"{start}-{previous}")
        start = previous = number
    return ",".join(parts)


# ------------------------------------------------------------------------------------------------------- the scenarios


def others(job: Job, *guilty: int) -> list[int]:
    return [rank for rank in range(job.ranks) if rank not in guilty]


def one_rank_absent(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = job.ranks - 3
    for rank in others(job, guilty):
        job.watchdog(end + 600 + job.chance.random(), rank, 421)
    job.died(end + 610, others(job, guilty), "Aborted")
    known = not job.only_rank_0
    return Truth(
        "failed",
        ("collective-timeout",),
        "Watchdog caught",
        guilty if known else None,
        job.node(guilty) if known else None,
    )


def one_rank_behind(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = job.ranks // 2
    for rank in others(job, guilty):
        job.watchdog(end + 600 + job.chance.random(), rank, 421)
    head = job.glog(end + 601, guilty)
    job.say(end + 601, guilty, f"{head}ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank {guilty}] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: 420, last completed NCCL work: 420.")  # fmt: skip
    job.died(end + 610, others(job, guilty), "Aborted")
    return Truth("failed", ("collective-timeout",), "Watchdog caught", guilty, job.node(guilty))


def whole_node_absent(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = list(range(job.ranks - PER_NODE, job.ranks))
    for rank in others(job, *guilty):
        job.watchdog(end + 600 + job.chance.random(), rank, 421)
    job.died(end + 610, others(job, *guilty), "Aborted")
    return Truth("failed", ("collective-timeout",), "Watchdog caught", None, job.node(guilty[0]))


def operation_mismatch(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = 3
    for rank in range(job.ranks):
        job.watchdog(end + 600 + job.chance.random(), rank, 421, op="BROADCAST" if rank == guilty else "ALLREDUCE")
    job.died(end + 610, list(range(job.ranks)), "Aborted")
    return Truth("failed", ("collective-mismatch",), "Watchdog caught", guilty, job.node(guilty))


def exception_long_before(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = job.ranks - 2
    job.traceback(end, guilty, "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-00017.bin'")
    for rank in others(job, guilty):
        job.watchdog(end + 600 + job.chance.random(), rank, 421)
    job.died(end + 1, [guilty], "Exited with exit code 1")
    job.died(end + 610, others(job, guilty), "Aborted")
    return Truth("failed", ("data", "storage", "python-error"), "FileNotFoundError", guilty, job.node(guilty), 1)


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. GPU {gpu} has a total capacity of 79.10 GiB of which 1.28 GiB is free."


def memory_error_in_a_thread(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = job.ranks - 1
    job.traceback(end, guilty, OOM.format(gpu=guilty % PER_NODE), head="Exception in thread Thread-7 (prefetch):")
    for rank in others(job, guilty):
        job.watchdog(end + 600 + job.chance.random(), rank, 421)
    job.died(end + 605, others(job, guilty), "Aborted")
    job.traceback(end + 640, guilty, "RuntimeError: prefetch thread is gone")
    job.died(end + 650, [guilty], "Exited with exit code 1")
    return Truth("failed", ("gpu-memory",), "CUDA out of memory", guilty, job.node(guilty), 1)


def host_out_of_memory(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = job.ranks - 4
    job.slurm(
        end,
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4242.0. Some of the step tasks have been OOM Killed.",
    )
    for rank in others(job, guilty):
        job.gloo_lost(end + 2, rank)
    if job.style == "torchrun":
        job.died(end + 1, [guilty], "Killed")
    else:
        job.slurm(end + 1, f"srun: error: {job.node(guilty)}: task {guilty}: Out Of Memory")
    job.died(end + 8, others(job, guilty), "Exited with exit code 1")
    return Truth("failed", ("host-memory",), None, guilty, job.node(guilty))


def memory_ecc(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    guilty = job.ranks // 2 + 1
    job.say(end, guilty, f"{job.glog(end, guilty)}ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID 0(default_pg) Rank {guilty}] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered")  # fmt: skip
    for rank in others(job, guilty):
        job.watchdog(end + 600 + job.chance.random(), rank, 421)
    job.died(end + 1, [guilty], "Aborted")
    job.died(end + 610, others(job, guilty), "Aborted")
    return Truth("failed", ("gpu-hardware",), "uncorrectable ECC", guilty, job.node(guilty), 134)


LIMIT = "slurmstepd: error: *** STEP 4242.0 ON node-001 CANCELLED AT {at:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"


def healthy_until_the_limit(job: Job) -> Truth:
    job.start()
    end = job.train(1, 60, 60)
    job.slurm(
        end,
        LIMIT.format(at=job.stamp(end, 0)),
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    )
    job.died(end + 5, list(range(job.ranks)), "Terminated")
    return Truth("failed", ("time-limit",), "TIME LIMIT")


def hung_long_before_the_limit(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    job.slurm(end + 7200, LIMIT.format(at=job.stamp(end + 7200, 0)))
    job.died(end + 7205, list(range(job.ranks)), "Terminated")
    return Truth("failed", ("time-limit", "collective-timeout"), None)


def node_failure(job: Job) -> Truth:
    job.start()
    end = job.train(1, 20, 60)
    place = job.nodes - 1
    for rank in range(job.ranks - PER_NODE):
        job.gloo_lost(end + 30, rank)
    job.slurm(end + 40, f"srun: error: Node failure on node-{place + 1:03d}", f"slurmstepd: error: *** JOB 4242 ON node-001 CANCELLED AT {job.stamp(end + 40, 0):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***")  # fmt: skip
    return Truth("failed", ("node-failure",), None, None, f"node-{place + 1:03d}")


def survived_errors(job: Job) -> Truth:
    job.start()
    end = job.train(1, 10, 60)
    job.traceback(
        end,
        0,
        "ConnectionError: HTTPSConnectionPool(host='api.wandb.ai', port=443): Max retries exceeded with url: /graphql",
    )
    end = job.train(11, 40, end + 5)
    job.say(end + 1, 0, f"[after training is done] datetime: {job.stamp(end + 1, 0):%Y-%m-%d %H:%M:%S} ")
    return Truth("ok", ("none",))


def restart_with_another_cause(job: Job) -> Truth:
    job.elastic = True
    job.style = "none" if job.style == "none" else "torchrun"
    job.start()
    end = job.train(1, 10, 60)
    job.traceback(end, 1, "KeyError: 'first'")
    job.say(end + 5, -1, f"W{job.stamp(end + 5, 0):%m%d %H:%M:%S}.000000 700 torch/distributed/elastic/agent/server/api.py:753] [default] Worker group FAILED. 3/3 attempts left; will restart worker group")  # fmt: skip
    end = job.train(1, 30, end + 60)
    job.traceback(end, 2, "IndexError: list index out of range")
    job.died(end + 5, [2], "Exited with exit code 1")
    return Truth("failed", ("python-error", "data"), "IndexError", 2, job.node(2), 1)


def restart_with_an_echo(job: Job) -> Truth:
    job.elastic = True
    job.style = "none" if job.style == "none" else "torchrun"
    job.start()
    end = job.train(1, 10, 60)
    job.traceback(end, 1, "ZeroDivisionError: division by zero")
    job.say(end + 5, -1, f"W{job.stamp(end + 5, 0):%m%d %H:%M:%S}.000000 700 torch/distributed/elastic/agent/server/api.py:753] [default] Worker group FAILED. 3/3 attempts left; will restart worker group")  # fmt: skip
    job.traceback(end + 60, 0, "FileExistsError: [Errno 17] File exists: '/work/run/lock'")
    job.died(end + 65, [0], "Exited with exit code 1")
    return Truth("failed", ("python-error",), "ZeroDivisionError", 1, job.node(1))


def failed_set_up(job: Job) -> Truth:
    job.slurm(5, "+ srun --ntasks=1 bash -c 'uv sync'", "error: Failed to write to the client cache", "  Caused by: failed to write to file `/root/.cache/uv/x`: No space left on device (os error 28)", "srun: error: node-001: task 0: Exited with exit code 2", "+ srun python train.py")  # fmt: skip
    for rank in range(job.ranks):
        job.say(30, rank, "Traceback (most recent call last):", '  File "/work/train.py", line 3, in <module>', "    import torch", "ModuleNotFoundError: No module named 'torch'")  # fmt: skip
    job.died(40, list(range(job.ranks)), "Exited with exit code 1")
    return Truth("failed", ("storage",), "No space left")


def teardown_crash(job: Job) -> Truth:
    job.start()
    end = job.train(1990, 2000, 60)
    job.say(end + 1, 0, f"[after training is done] datetime: {job.stamp(end + 1, 0):%Y-%m-%d %H:%M:%S} ")
    job.died(end + 20, [rank for rank in range(job.ranks) if rank], "Aborted")
    return Truth("failed", ("native-crash",), None, None)


SCENARIOS: dict[str, Callable[[Job], Truth]] = {
    scenario.__name__: scenario
    for scenario in (
        one_rank_absent, one_rank_behind, whole_node_absent, operation_mismatch, exception_long_before, memory_error_in_a_thread,
        host_out_of_memory, memory_ecc, healthy_until_the_limit, hung_long_before_the_limit, node_failure, survived_errors,
        restart_with_another_cause, restart_with_an_echo, failed_set_up, teardown_crash,
    )
}  # fmt: skip
