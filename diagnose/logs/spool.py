"""A stream -> bytes that can be read again: in memory while it is short, else in a temporary file, never without end."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from diagnose.logs.compression import Broken

SHORT_BYTES = 8 * 1024 * 1024
"""What is no longer than this stays in memory, so that a short log is read although the temporary folder is full."""

MOST_BYTES = 200 * 10**9
"""Where reading ends, though a stream or a compressed file goes on."""

RESERVE_BYTES = 1 << 30
RESERVE_SHARE = 0.05
"""What a spool leaves free in the temporary folder: a gigabyte, or this share of a small file system."""

BREAKS_OFF = "the compressed data break off: "

_LOOK_EVERY = 64 * 1024 * 1024
"""Bytes between two looks at how much is free."""


@dataclass
class Spool:
    """A growing copy. ``ended`` says why it is not whole, if it is not."""

    most_bytes: int = MOST_BYTES
    size: int = 0
    ended: str = ""
    _held: io.BytesIO | io.FileIO = field(default_factory=io.BytesIO)
    _looked_at: int = -_LOOK_EVERY

    @property
    def file(self) -> BinaryIO:
        """The copy, to be read."""
        return io.BufferedReader(self._held) if isinstance(self._held, io.FileIO) else self._held

    def fill(self, pieces: Iterable[bytes]) -> None:
        """Copy the pieces until they end or something ends them; what came before stays."""
        try:
            for piece in pieces:
                self._add(piece)
                if self.ended:
                    return
        except Broken as problem:
            self.ended = f"{BREAKS_OFF}{problem}"
        except OSError as error:
            self.ended = f"cannot be read further: {error.strerror or error}"

    def _add(self, piece: bytes) -> None:
        room = self.most_bytes - self.size
        if len(piece) > room:
            piece = piece[:room]
            self.ended = f"goes on after {self.most_bytes / 10**9:g} GB, more than is read"
        try:
            if isinstance(self._held, io.BytesIO) and self.size + len(piece) > SHORT_BYTES:
                self._held = _on_disk(self._held.getvalue())
            if isinstance(self._held, io.FileIO) and self.size - self._looked_at >= _LOOK_EVERY:
                self._looked_at = self.size
                if _is_nearly_full(tempfile.gettempdir()):
                    self.ended = f"goes on, but {tempfile.gettempdir()} is nearly full; TMPDIR names another folder"
                    return
            view = memoryview(piece)
            while view:
                written = self._held.write(view)
                self.size += written
                view = view[written:]
        except OSError as error:
            self.ended = f"goes on, but cannot be copied to a temporary file: {error.strerror or error}"


def _on_disk(data: bytes) -> io.FileIO:
    """A temporary file with these bytes; unbuffered, so that what is counted is written and nothing fails later."""
    disk = tempfile.TemporaryFile(prefix="slurm-doctor-", buffering=0)  # noqa: SIM115 - the spool owns it
    view = memoryview(data)
    try:
        while view:
            view = view[disk.write(view) :]
    except OSError:
        disk.close()
        raise
    return disk


def _is_nearly_full(folder: str) -> bool:
    disk = os.statvfs(folder)
    reserve = min(RESERVE_BYTES, int(disk.f_blocks * disk.f_frsize * RESERVE_SHARE))
    return disk.f_bavail * disk.f_frsize < reserve
