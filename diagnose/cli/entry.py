"""Where the command begins: before anything is loaded it sees to it that an interrupt ends it quietly with status 130."""

from __future__ import annotations

import signal
from types import FrameType

INTERRUPTED = 130


def run() -> None:
    """The entry point of ``slurm-doctor``."""
    with Interruptible():
        from diagnose.cli.main import run

        run()


class Interruptible:
    """Ctrl-C leaves through every ``with`` and ``finally``; a second one kills. An ignored interrupt stays ignored."""

    def __init__(self) -> None:
        self._interrupted = False

    def __enter__(self) -> None:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._leave)

    def __exit__(self, *problem: object) -> None:
        # Whatever the interrupt became on its way (a class that is being made turns it into a RuntimeError).
        if self._interrupted:
            raise SystemExit(INTERRUPTED) from None

    def _leave(self, number: int, frame: FrameType | None) -> None:
        self._interrupted = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise SystemExit(INTERRUPTED)
