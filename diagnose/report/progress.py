"""A progress bar on the terminal for a log that takes longer than a second; nothing at all for any other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import IO, TYPE_CHECKING

from diagnose.report.terminal import Color

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE_SECONDS = 1.0
BETWEEN_SECONDS = 0.1


def can_show_progress(stream: IO[str]) -> bool:
    """Whether a bar can be drawn there and erased again."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class ProgressBar:
    """Called with the bytes done and the bytes there are (0: nobody knows). Leaves the terminal as it was."""

    def __init__(self, stream: IO[str], color: Color = "auto", clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._color, self._clock = stream, color, clock
        self._drawn_at = clock() + PATIENCE_SECONDS - BETWEEN_SECONDS
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._total = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if now - self._drawn_at < BETWEEN_SECONDS:
            return
        self._drawn_at = now
        if self._bar is None:
            self._bar = self._made()
            self._bar.start()
        if self._task is None:
            self._task = self._bar.add_task("reading", completed=done, total=total or None)
        elif total != self._total:
            self._bar.reset(self._task, total=total or None)
        self._total = total
        self._bar.update(self._task, completed=done, total=total or None)
        self._bar.refresh()

    def _made(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.progress import TransferSpeedColumn as RateColumn

        console = Console(file=self._stream, no_color=True if self._color == "never" else None)
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            RateColumn(),
            TimeRemainingColumn(),
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            get_time=self._clock,
        )
