"""Where the bytes of one log come from: a file, a compressed file or standard input, read in blocks or windows."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from diagnose.logs.compression import Missing, compression_of, decompressed
from diagnose.logs.meter import Meter

BLOCK_BYTES = 512 * 1024
_CHUNK_BYTES = 64 * 1024
_HEAD_BYTES = 8 * 1024

REACH = 8 * 1024
"""How far to each side a pattern sees in a line that does not end."""


class Unreadable(Exception):
    """The input cannot be diagnosed at all; the text says why, for the person at the keyboard."""


@dataclass(frozen=True)
class Writer:
    """What a file's path says of the process that wrote it."""

    task: int | None = None
    rank: int | None = None
    local_rank: int | None = None
    node: str | None = None
    attempt: int | None = None


@dataclass(frozen=True)
class Block:
    """A piece of a log. What ends at ``first`` or before was in the block before, what ends behind ``last`` comes again.

    They differ from the ends of ``data`` only inside a line that is longer than a block: there the pieces overlap, so that
    everything is seen once with its surroundings.
    """

    offset: int
    data: bytes
    first: int
    last: int

    @property
    def new_lines(self) -> int:
        """Newlines that no earlier block held: none lie where blocks overlap."""
        return self.data.count(b"\n")


@dataclass
class Log:
    """One log as bytes on disk.

    ``name`` is what answers call it; ``notes`` say what could not be read; ``writer`` is what its path tells; ``share`` is
    the part of what may be read line by line that falls to this file: one of a hundred files has a hundredth. ``meter`` is
    told how far the first pass is.
    """

    name: str
    file: BinaryIO
    size: int
    notes: list[str] = field(default_factory=list)
    writer: Writer = Writer()
    meter: Meter = field(default_factory=Meter)
    share: float = 1.0

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
        """Yield the whole log in blocks, each ending with its last newline if it has one."""
        offset, overlap, rest = 0, 0, b""
        self.file.seek(0)
        while fresh := self.file.read(block_bytes):
            self.meter.scanned(offset, self.size)
            data = rest + fresh
            cut = data.rfind(b"\n") + 1
            if cut:
                yield Block(offset, data[:cut], overlap, cut)
                offset, overlap, rest = offset + cut, 0, data[cut:]
            elif len(data) < 4 * REACH:
                rest = data
            else:
                yield Block(offset, data, overlap, len(data) - REACH)
                offset, overlap, rest = offset + len(data) - 2 * REACH, REACH, data[-2 * REACH :]
        if rest:
            yield Block(offset, rest, overlap, len(rest))

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` to ``end`` (offsets in the uncompressed log)."""
        self.file.seek(start)
        return self.file.read(max(0, end - start))

    def close(self) -> None:
        self.file.close()


def open_log(path: str, meter: Meter | None = None) -> Log:
    """Open a file, plain or compressed, or ``-`` (standard input). Raises ``Unreadable`` with one clear line."""
    meter = meter or Meter()
    if path == "-":
        if sys.stdin is None:
            raise Unreadable("-: standard input is closed")
        return _streamed(sys.stdin.buffer, "-", meter)
    try:
        if Path(path).is_dir():
            raise Unreadable(f"{path}: is a folder, not a log")
        raw = open(path, "rb")  # noqa: SIM115 - the Log owns it
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    try:
        compressed = raw.seekable() and compression_of(raw.peek(16)) is not None
    except OSError as error:
        raw.close()
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    if compressed or not raw.seekable():
        with raw:
            return _streamed(raw, path, meter)
    size = os.fstat(raw.fileno()).st_size
    meter.begin(size)
    return _checked(Log(path, raw, size, meter=meter))


def _streamed(source: BinaryIO, name: str, meter: Meter) -> Log:
    """Copy a stream, unpacked where it is compressed, since the second pass needs to go back.

    A broken end is noted, not fatal.
    """
    from diagnose.logs.spool import BREAKS_OFF, Spool

    meter.begin(_bytes_on_disk(source))
    chunks = _chunks(source, meter)
    try:
        first = next(chunks, b"")
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror or error}") from None
    pieces: Iterator[bytes] = chain([first], chunks)
    kind = compression_of(first)
    if kind:
        try:
            pieces = decompressed(pieces, kind)
        except Missing as problem:
            raise Unreadable(f"{name}: {problem}") from None
    spool = Spool()
    spool.fill(_text_only(pieces, name))
    if spool.ended and not spool.size:
        reason = spool.ended.removeprefix(BREAKS_OFF)
        raise Unreadable(f"{name}: not a readable {kind} file: {reason}" if kind else f"{name}: {reason}")
    notes = [f"{name}: {spool.ended}; what came before was read"] if spool.ended else []
    return _checked(Log(name, spool.file, spool.size, notes, meter=meter))


def _chunks(source: BinaryIO, meter: Meter) -> Iterator[bytes]:
    done = 0
    while chunk := source.read(_CHUNK_BYTES):
        done += len(chunk)
        meter.copied(done)
        yield chunk


def _bytes_on_disk(source: BinaryIO) -> int:
    """The size of a regular file, 0 of what nobody knows the size of, like a pipe."""
    try:
        status = os.fstat(source.fileno())
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _text_only(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Refuse what begins as no text before all of it is copied."""
    for number, piece in enumerate(pieces):
        if number == 0 and len(piece) >= _HEAD_BYTES and looks_binary(piece[:_HEAD_BYTES]):
            raise Unreadable(f"{name}: is a binary file, not a log")
        yield piece


def _checked(log: Log) -> Log:
    head = log.read(0, _HEAD_BYTES)
    if not head.strip():
        empty = log.size == 0 or not log.read(0, min(log.size, BLOCK_BYTES)).strip()
        if empty:
            raise Unreadable(f"{log.name}: is empty" if log.size == 0 else f"{log.name}: holds nothing but white space")
    if looks_binary(head):
        raise Unreadable(f"{log.name}: is a binary file, not a log")
    return log


_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1b")


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes are no text: a magic number, many control characters, or some among bytes of no text.

    Text in an old 8-bit encoding has no control characters and stays a log.
    """
    if head.startswith((b"\x7fELF", b"PK\x03\x04", b"\x89PNG", b"\x80\x02", b"\x80\x04")):
        return True
    if compression_of(head):
        return True
    odd = 1 - len(head.translate(None, _CONTROLS)) / max(1, len(head))
    foreign = head.decode("utf-8", "replace").count("\ufffd") / max(1, len(head))
    return odd > 0.3 or (odd > 0.05 and foreign > 0.2)
