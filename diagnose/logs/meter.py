"""How much of a job's logs is read: adds up what each log says while it is copied and scanned, for a progress bar.

Measured in bytes on disk, so that the total is known before: of a log that is unpacked or copied first, each byte counts
half for that and half for the first pass.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

Progress = Callable[[int, int], None]
"""Called with the bytes that are done and the bytes there are; those are 0 as long as nobody knows (a pipe)."""


class Meter:
    """Told by the logs how far they are; tells ``report``, if there is one, after each block."""

    def __init__(self, report: Progress | None = None, paths: Iterable[str] = ()) -> None:
        self._report = report
        self._total = sum(map(_size, paths)) if report else 0
        self._before = 0
        self._size = 0
        self._copies = False

    def begin(self, size: int) -> None:
        """The next log, of that many bytes on disk (0: nobody knows). All those before are done."""
        self._before += self._size
        self._size, self._copies = size, False
        if self._report and self._before:
            self._report(self._before, self._total)

    def copied(self, done: int) -> None:
        """So many bytes on disk of this log were unpacked or copied to a temporary file."""
        self._copies = True
        if self._report:
            known = min(done, self._size) // 2
            self._report(*((self._before + known, self._total) if self._size else (self._before + done, 0)))

    def scanned(self, done: int, size: int) -> None:
        """So many of the plain bytes of this log went through the first pass."""
        if not self._report:
            return
        if not self._size:
            self._report(done, size)
            return
        share = min(done, size) * self._size // max(1, size)
        self._report(self._before + ((self._size + share) // 2 if self._copies else share), self._total)


def _size(path: str) -> int:
    """Bytes on disk; 0 of what is no file."""
    try:
        return os.path.getsize(path) if os.path.isfile(path) else 0
    except OSError:
        return 0
