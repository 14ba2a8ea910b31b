"""Logs to measure on, made from the line forms of real programs: deterministic, of any size.

A block of some megabytes is made line by line from a seed and repeated to the size that is asked for, so that a gigabyte
is written in seconds. Nothing is copied from a real log but the form of its lines.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

SEED = 20261201
BLOCK_LINES = 60_000
RANKS = 512

Maker = Callable[[random.Random, int, int], str]


def _megatron(chance: random.Random, step: int, rank: int) -> str:
    return f"{rank:3d}:  iteration {step:8d}/  500000 | consumed samples: {step * 1024:12d} | elapsed time per iteration (ms): {chance.uniform(900, 1100):.1f} | learning rate: {chance.uniform(1e-5, 3e-4):.3E} | global batch size:  1024 | lm loss: {chance.uniform(1.7, 2.4):.6E} | loss scale: 1.0 | grad norm: {chance.uniform(0.1, 0.9):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"


def _nemo_bar(chance: random.Random, step: int, rank: int) -> str:
    return f"Epoch 0: :  {step % 100}%|{'#' * (step % 10)}| {step}/500000 [{step // 3600:02d}:{step // 60 % 60:02d}<38:12:07, v_num=0, reduced_train_loss={chance.uniform(1.7, 2.4):.3f}, global_step={step}.0, consumed_samples={step * 512}.0, train_step_timing in s={chance.uniform(0.9, 1.3):.3f}]"


def _deepspeed(chance: random.Random, step: int, rank: int) -> str:
    return f"[2026-03-04 {step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d},{chance.randrange(1000):03d}] [INFO] [logging.py:96:log_dist] [Rank {rank % 8}] step={step}, skipped=0, lr=[{chance.uniform(1e-5, 3e-4):.6e}], mom=[(0.9, 0.95)]"


def _transformers(chance: random.Random, step: int, rank: int) -> str:
    return f"{{'loss': {chance.uniform(0.4, 2.4):.4f}, 'grad_norm': {chance.uniform(0.1, 3):.6f}, 'learning_rate': {chance.uniform(1e-6, 1e-4):.6e}, 'epoch': {step / 5000:.2f}}}"


def _torchtitan(chance: random.Random, step: int, rank: int) -> str:
    return f"[rank{rank}]:[titan] 2026-03-04 {step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d},{chance.randrange(1000):03d} - root - INFO - step: {step:5d}  loss: {chance.uniform(1.7, 9):7.4f}  memory: {chance.uniform(40, 70):5.2f}GiB({chance.uniform(50, 90):.2f}%)  tps: {chance.randrange(5000, 9000):,}  mfu: {chance.uniform(30, 50):.2f}%"


def _nccl(chance: random.Random, step: int, rank: int) -> str:
    return f"node-{rank // 8:03d}:{4000 + rank}:{4800 + rank} [{rank % 8}] NCCL INFO Channel {step % 24:02d}/{chance.randrange(2)} : {rank}[{rank % 8}] -> {(rank + 1) % RANKS}[{(rank + 1) % 8}] via P2P/CUMEM"


def _nccl_ring(chance: random.Random, step: int, rank: int) -> str:
    return f"node-{rank // 8:03d}:{4000 + rank}:{4800 + rank} [{rank % 8}] NCCL INFO Connected all rings"


def _lightning(chance: random.Random, step: int, rank: int) -> str:
    return f"Epoch {step // 2000}: {step % 100}%|{'█' * (step % 8)} | {step % 2000}/2000 [{step // 60 % 60:02d}:{step % 60:02d}<11:02,  {chance.uniform(1, 4):.2f}it/s, v_num=3, train_loss_step={chance.uniform(0.1, 2):.3f}]"


def _mmcv(chance: random.Random, step: int, rank: int) -> str:
    return f"2026-03-04 {step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d},{chance.randrange(1000):03d} - mmdet - INFO - Epoch [{step // 7330}][{step % 7330}/7330]\tlr: {chance.uniform(1e-4, 2e-2):.3e}, eta: 11:12:09, time: {chance.uniform(0.2, 0.5):.3f}, data_time: 0.012, memory: 4021, loss_cls: {chance.uniform(0.1, 1):.4f}, loss: {chance.uniform(0.3, 2):.4f}"


def _jax(chance: random.Random, step: int, rank: int) -> str:
    return f"completed step: {step}, seconds: {chance.uniform(1, 2):.3f}, TFLOP/s/device: {chance.uniform(300, 450):.3f}, Tokens/s/device: {chance.uniform(6000, 9000):.3f}, total_weights: 2097152, loss: {chance.uniform(1.7, 9):.3f}"


def _vllm(chance: random.Random, step: int, rank: int) -> str:
    return f"(EngineCore_DP{rank % 8} pid={4000 + rank}) INFO 03-04 {step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d} [loggers.py:127] Engine {rank % 8:03d}: Avg prompt throughput: {chance.uniform(1000, 9000):.1f} tokens/s, Avg generation throughput: {chance.uniform(1000, 9000):.1f} tokens/s, Running: {chance.randrange(256)} reqs, Waiting: 0 reqs, GPU KV cache usage: {chance.uniform(1, 90):.1f}%, Prefix cache hit rate: {chance.uniform(1, 90):.1f}%"


def _data(chance: random.Random, step: int, rank: int) -> str:
    return f"{rank:3d}: > building indices for blendable datasets ... sample {step} of 61035156, weight {chance.random():.5f}"


QUIET: list[tuple[int, Maker]] = [
    (30, _megatron), (8, _nemo_bar), (8, _deepspeed), (8, _transformers), (10, _torchtitan), (16, _nccl), (2, _nccl_ring),
    (6, _lightning), (4, _mmcv), (3, _jax), (3, _vllm), (2, _data),
]  # fmt: skip
"""How many of a hundred lines have which form."""

STORM = [
    "[rank{rank}]:[E304 02:{minute:02d}:{second:02d}.123456789 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={step}, OpType=ALLREDUCE, NumelIn=25165824, NumelOut=25165824, Timeout(ms)=600000) ran for 600041 milliseconds before timing out.",
    "[rank{rank}]:[E304 02:{minute:02d}:{second:02d}.223456789 ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {step} PG status: last enqueued work: {step}, last completed work: {step}",
    "[rank{rank}]:[E304 02:{minute:02d}:{second:02d}.323456789 ProcessGroupNCCL.cpp:688] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
    "{rank:3d}: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.{node}.7]:4242",
    "node-{node:03d}:{pid}:{pid} [{local}] NCCL WARN socketProgress: Connection closed by remote peer node-{peer:03d}<51234>",
    "{rank:3d}: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5",
    "srun: error: node-{node:03d}: task {rank}: Exited with exit code 1",
    "{rank:3d}: [W304 02:{minute:02d}:{second:02d}.423456789 TCPStore.cpp:115] [c10d] recvVector failed on SocketImpl(fd=3, addr=[node-{node:03d}]:51234): failed to recv, got 0 bytes",
]  # fmt: skip
"""What hundreds of ranks print when one of them is gone."""


def quiet_lines(seed: int = SEED) -> Iterator[str]:
    """Lines of healthy runs, for ever."""
    chance = random.Random(seed)
    makers, weights = [maker for _, maker in QUIET], [weight for weight, _ in QUIET]
    step = 0
    while True:
        step += 1
        for maker in chance.choices(makers, weights, k=64):
            yield maker(chance, step, chance.randrange(RANKS))


def storm_lines(share: float, seed: int = SEED) -> Iterator[str]:
    """The same with a share of lines that complain."""
    chance = random.Random(seed + 1)
    for line in quiet_lines(seed):
        if chance.random() < share:
            rank = chance.randrange(RANKS)
            yield chance.choice(STORM).format(
                rank=rank, node=rank // 8, peer=chance.randrange(RANKS // 8), local=rank % 8, pid=4000 + rank,
                step=chance.randrange(9000, 9003), minute=chance.randrange(60), second=chance.randrange(60),
            )  # fmt: skip
        else:
            yield line


def _repeated(lines: Iterable[str], size: int, end: bytes = b"\n") -> Iterator[bytes]:
    """A block of lines again and again, up to ``size`` bytes."""
    block = b"".join(line.encode() + end for _, line in zip(range(BLOCK_LINES), lines, strict=False))
    written = 0
    while written < size:
        piece = block[: size - written]
        written += len(piece)
        yield piece


FAILURE = b"\n".join(
    [
        b"  7: [rank7]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.16 GiB. GPU 7 has a total capacity of 79.10 GiB of which 1.28 GiB is free.",
        b"srun: error: node-001: task 7: Exited with exit code 1",
        b"",
    ]
)


def write_quiet(path: Path, size: int) -> None:
    """A healthy log that ends with one failure."""
    _write(path, [*_repeated(quiet_lines(), size - len(FAILURE)), b"\n", FAILURE])


def write_storm(path: Path, size: int) -> None:
    """One line of five complains."""
    _write(path, [b"\n", *_repeated(storm_lines(0.2), size - len(FAILURE)), b"\n", FAILURE])


def write_endless(path: Path, size: int, end: bytes) -> None:
    """A log without a newline: ``end`` is what stands between its parts."""
    _write(path, [*_repeated(quiet_lines(), size, end), FAILURE])


def write_nuls(path: Path, size: int) -> None:
    """A third of the bytes are NUL, as a file has that two nodes write to."""
    _write(path, (piece.replace(b"e", b"\0\0\0") for piece in _repeated(quiet_lines(), size * 2 // 3)))


def write_gzip(source: Path, path: Path) -> None:
    with source.open("rb") as plain, gzip.GzipFile(path, "wb", compresslevel=6, mtime=0) as packed:
        while piece := plain.read(1 << 20):
            packed.write(piece)


def write_rank_files(folder: Path, ranks: int) -> None:
    """One file for each rank of a job in which rank 7 runs out of memory."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        lines = [_megatron(random.Random(rank), step, rank)[5:] for step in range(1, 40)]
        lines.append(
            FAILURE.decode().split("\n")[0][5:]
            if rank == 7
            else STORM[0].format(rank=rank, minute=1, second=2, step=40)
        )
        (folder / f"rank_{rank}.log").write_text("\n".join(lines) + "\n")


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for piece in pieces:
            file.write(piece)
