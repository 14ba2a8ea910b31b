"""Whole processes against their peers, round-robin in one run, medians: ratios, never seconds.

python bench/run.py            everything at full size (1 GB, 20 GB with --large), writes docs/performance.md
python bench/run.py --quick    50 MB, fails where a generous limit on a ratio is broken: what CI runs
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import corpora
from patterns import write_patterns

from diagnose.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
DOCTOR = [str(Path(sys.executable).with_name("slurm-doctor"))]
PYTHON = [sys.executable, "-c", "pass"]
GREPS = (
    "grep -a 'Error\\|OOM\\|CUDA out of memory\\|FAILED\\|Killed' {0} | "
    "grep -v 'UserWarning\\|AllocatorConfig\\|transformer_engine\\|frame\\|srun: error' > {1}; "
    "grep -a 'Failures:' -A 20 {0} > {1}; grep -a 'ncclUniqueId\\|timeout\\|crash on rank 0' {0} > {1}"
)
"""What people do by hand: three greps over the log."""


@dataclass
class Item:
    """One command; ``seconds`` and ``kilobytes`` (peak memory) of each round."""

    name: str
    command: Sequence[str]
    engine: str = ""
    seconds: list[float] = field(default_factory=list)
    kilobytes: list[int] = field(default_factory=list)

    def run(self, sink: Path) -> None:
        """Start it once, its output into a real file (some greps stop early when nobody reads)."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        if self.engine:
            environment["SLURM_DOCTOR_ENGINE"] = self.engine
        with sink.open("wb") as out:
            start = time.perf_counter()
            process = subprocess.Popen(list(self.command), stdout=out, stderr=subprocess.DEVNULL, env=environment)
            _, _, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - start)
            self.kilobytes.append(usage.ru_maxrss)

    @property
    def time(self) -> float:
        return median(self.seconds)

    @property
    def megabytes(self) -> float:
        return max(self.kilobytes) / 1000


@dataclass
class Figure:
    """One row of the table: ``value`` is a ratio or megabytes; ``at_most`` or ``at_least`` is what it must reach."""

    what: str
    value: float
    unit: str = "x"
    at_least: float | None = None
    at_most: float | None = None
    aim: str = ""

    @property
    def holds(self) -> bool:
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )

    @property
    def limit(self) -> str:
        return f"≥ {self.at_least:g}" if self.at_least is not None else f"≤ {self.at_most:g}" if self.at_most else "-"


class Bench:
    """The corpora, and the items that are run over them."""

    def __init__(self, folder: Path, size: int, rounds: int) -> None:
        self.folder, self.size, self.rounds = folder, size, rounds
        folder.mkdir(parents=True, exist_ok=True)
        self.sink = folder / "out"
        self.ripgrep = shutil.which("rg", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        self.patterns = folder / "patterns.rg"
        self.kept = write_patterns(self.patterns, self.ripgrep) if self.ripgrep else (0, 0)

    def corpus(self, name: str, size: int, write: object, *rest: object) -> Path:
        path = self.folder / name
        if not path.exists() or path.stat().st_size < size * 0.5:
            write(path, size, *rest)  # type: ignore[operator]
        return path

    def measure(self, *items: Item) -> None:
        """Every item once a round, one after the other; the first round only warms caches."""
        for turn in range(self.rounds + 1):
            for item in items:
                item.run(self.sink)
                if turn == 0:
                    item.seconds.clear()

    def rg(self, path: Path) -> Item | None:
        if self.ripgrep is None:
            return None
        return Item("ripgrep", [self.ripgrep, "-a", "-n", "--no-unicode", "-f", str(self.patterns), str(path)])


def doctor(path: Path, engine: str = "", *options: str) -> Item:
    return Item(f"slurm-doctor {engine}".strip(), [*DOCTOR, *options, str(path)], engine)


def of_large_logs(bench: Bench) -> list[Figure]:
    quiet = bench.corpus("quiet.log", bench.size, corpora.write_quiet)
    storm = bench.corpus("storm.log", bench.size, corpora.write_storm)
    packed = bench.folder / "quiet.log.gz"
    if not packed.exists():
        corpora.write_gzip(quiet, packed)
    ours, fallback, cat = (
        doctor(quiet),
        doctor(quiet, "ahocorasick"),
        Item("cat", ["bash", "-c", f"cat {quiet} > /dev/null"]),
    )
    greps = Item("three greps", ["bash", "-c", GREPS.format(quiet, bench.folder / "grep")])
    stormy, zipped, peer, stormy_peer = doctor(storm), doctor(packed), bench.rg(quiet), bench.rg(storm)
    bench.measure(*[item for item in (ours, fallback, cat, greps, stormy, zipped, peer, stormy_peer) if item])
    figures = [
        Figure(
            "quiet, against the three greps by hand: times as fast", greps.time / ours.time, at_least=1.5, aim="2.5"
        ),
        Figure("quiet, against cat", ours.time / cat.time, at_most=12, aim="≤ 6"),
        Figure(".gz against plain", zipped.time / ours.time, at_most=2, aim="≤ 1.3"),
        Figure("peak memory, quiet", ours.megabytes, "MB", at_most=120, aim="≤ 80"),
        Figure("peak memory, storm", stormy.megabytes, "MB", at_most=120, aim="≤ 80"),
    ]
    if peer and stormy_peer:
        figures = [
            Figure("quiet, against ripgrep -f: times as fast", peer.time / ours.time, at_least=1.8, aim="3"),
            Figure("storm, against ripgrep -f", stormy.time / stormy_peer.time, at_most=2, aim="≤ 1"),
            Figure("fallback engine, against ripgrep -f", fallback.time / peer.time, at_most=3.5, aim="≤ 2"),
            *figures,
        ]
    return figures


def of_odd_logs(bench: Bench) -> list[Figure]:
    """Logs that are no lines: each against the quiet one."""
    quiet = bench.corpus("quiet.log", bench.size, corpora.write_quiet)
    endless = bench.corpus("endless.log", bench.size, corpora.write_endless, b" ")
    bars = bench.corpus("bars.log", bench.size, corpora.write_endless, b"\r")
    nuls = bench.corpus("nuls.log", bench.size, corpora.write_nuls)
    folder = bench.folder / "ranks"
    if not folder.exists():
        corpora.write_rank_files(folder, 4096)
    items = [doctor(path) for path in (quiet, endless, bars, nuls)]
    ranks = doctor(folder)
    bench.measure(*items, ranks)
    base = items[0].time
    return [
        *(
            Figure(f"{name}, against quiet", item.time / base, at_most=2)
            for name, item in zip(
                ("no newline at all", "carriage returns only", "a third of it NUL"), items[1:], strict=True
            )
        ),
        Figure("peak memory, worst of these", max(item.megabytes for item in items), "MB", at_most=120, aim="≤ 80"),
        Figure("peak memory, a folder of 4,096 files", ranks.megabytes, "MB"),
    ]


def of_small_logs(bench: Bench, rounds: int) -> list[Figure]:
    failed, healthy = bench.folder / "failed.log", bench.folder / "healthy.log"
    failed.write_bytes(b"step 1\n" * 120 + corpora.FAILURE)
    lines = "\n".join(corpora._megatron(corpora.random.Random(step), step, 0)[5:] for step in range(1, 5))
    healthy.write_text(lines + "\n[after training is done] datetime: 2026-03-04 03:00:00\n")
    python, text, good, plain = (
        Item("python", PYTHON),
        doctor(failed),
        doctor(healthy),
        doctor(failed, "", "--format", "json"),
    )
    small = Bench(bench.folder, 0, rounds)
    small.measure(python, text, good, plain)
    return [
        Figure("1 KB that fails, text, against python -c pass", text.time / python.time, at_most=12, aim="≤ 7"),
        Figure("1 KB healthy, text", good.time / python.time, at_most=9, aim="≤ 5"),
        Figure("1 KB that fails, JSON", plain.time / python.time, at_most=6, aim="≤ 4"),
    ]


def of_size(bench: Bench, large: int) -> list[Figure]:
    """From a small to a large log: linear in time, constant in memory."""
    few = doctor(bench.corpus("quiet-100m.log", 100_000_000, corpora.write_quiet))
    some = doctor(bench.corpus("quiet.log", bench.size, corpora.write_quiet))
    many = doctor(bench.corpus("quiet-large.log", large, corpora.write_quiet))
    Bench(bench.folder, 0, 2).measure(few, some, many)
    slope = (some.time - few.time) / (bench.size - 100_000_000)
    linear = (many.time - some.time) / (large - bench.size) / slope
    return [
        Figure(
            f"seconds per further byte up to {large // 10**9} GB, against those from 100 MB to 1 GB",
            linear,
            at_most=1.1,
        ),
        Figure(f"peak memory at {large // 10**9} GB", many.megabytes, "MB", at_most=120, aim="≤ 80"),
        Figure(f"memory from 100 MB to {large // 10**9} GB", many.megabytes - few.megabytes, "MB", at_most=8, aim="0"),
    ]


def table(figures: Sequence[Figure]) -> str:
    rows = ["| work | measured | must | aim | |", "|---|---|---|---|---|"]
    rows += [
        f"| {one.what} | {one.value:.2f} {one.unit} | {one.limit} | {one.aim or '-'} | {'' if one.holds else 'missed'} |"
        for one in figures
    ]
    return "\n".join(rows) + "\n"


def machine(bench: Bench) -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    ripgrep = subprocess.run([bench.ripgrep, "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0] if bench.ripgrep else "none"  # fmt: skip
    return f"{os.cpu_count()} x {model}, {platform.system()} {platform.release()}, Python {platform.python_version()}, slurm-doctor {VERSION}, {ripgrep}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="50 MB; fail where a limit with room for noise is broken")
    options.add_argument("--large", type=int, metavar="GB", help="also a log of so many gigabytes")
    options.add_argument("--folder", type=Path, default=ROOT / "bench/.corpora", help="where the corpora are kept")
    chosen = options.parse_args()
    if chosen.quick:
        bench = Bench(chosen.folder, 50_000_000, 3)
        figures = [one for one in of_large_logs(bench) + of_odd_logs(bench) if one.what not in FULL_ONLY]
        print(table(figures))
        broken = [one for one in figures if not (one.at_most is None or one.value <= one.at_most * QUICK_SLACK) or not (one.at_least is None or one.value >= one.at_least / QUICK_SLACK)]  # fmt: skip
        for one in broken:
            print(f"broken: {one.what}: {one.value:.2f} {one.unit}, must be {one.limit} (with room: x {QUICK_SLACK})")
        return 1 if broken else 0
    bench = Bench(chosen.folder, 1_000_000_000, 5)
    figures = of_large_logs(bench) + of_odd_logs(bench) + of_small_logs(bench, 15)
    if chosen.large:
        figures += of_size(bench, chosen.large * 1_000_000_000)
    PAGE.write_text(
        HEAD
        + f"Machine: {machine(bench)}.\nripgrep got {bench.kept[1]} of {bench.kept[0]} patterns.\n\n"
        + table(figures)
        + TAIL
    )
    print(table(figures))
    return 0


FULL_ONLY = {"quiet, against the three greps by hand: times as fast", "quiet, against cat"}
"""Figures that say nothing of 50 MB, where the start of the process is most of the time."""

QUICK_SLACK = 3.0
"""How much worse than its limit a figure may be in a short run on a busy machine before it counts as broken."""

HEAD = """# Performance

Ratios of whole processes, each started in turn with its peers, medians of five rounds on one machine; files are in the
page cache. `make bench` repeats it. Seconds are not the point: they are the machine's.

"""
TAIL = """
What is compared: `quiet` is a healthy log of ten frameworks with `NCCL_DEBUG=INFO`; in `storm` every fifth line of 512
ranks complains. ripgrep looks for the same patterns (`-a -n --no-unicode -f`, those without look-around) and prints lines;
slurm-doctor names the failure, its rank and the rest. The three greps are what people type by hand.

Where a limit is missed: most of a small log's time is Python's start and the import of click, msgspec, regex and some forty
modules of the tool itself. cat and the three greps do not look for five thousand texts; Hyperscan alone needs about two
fifths of the time of a quiet log, the start, the count of lines and the windows that are read line by line the rest.
"""

if __name__ == "__main__":
    sys.exit(main())
