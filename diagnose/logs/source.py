"""Where the bytes of one log come from: a file, a compressed file or standard input, read in blocks or windows."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

BLOCK_BYTES = 512 * 1024
_NOT_READ = {b"\xfd7zXZ": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_CHUNK_BYTES = 64 * 1024

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
    the part of what may be read line by line that falls to this file: one of a hundred files has a hundredth.
    """

    name: str
    file: BinaryIO
    size: int
    notes: list[str] = field(default_factory=list)
    writer: Writer = Writer()
    share: float = 1.0

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
        """Yield the whole log in blocks, each ending with its last newline if it has one."""
        offset, overlap, rest = 0, 0, b""
        self.file.seek(0)
        while fresh := self.file.read(block_bytes):
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


def open_log(path: str) -> Log:
    """Open a file, a ``.gz`` file or ``-`` (standard input). Raises ``Unreadable`` with one clear line."""
    if path == "-":
        return _spooled(_chunks(sys.stdin.buffer), "-")
    try:
        if Path(path).is_dir():
            raise Unreadable(f"{path}: is a folder, not a log")
        raw = open(path, "rb")  # noqa: SIM115 - the Log owns it
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    try:
        magic = raw.peek(6)[:6]
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    if magic[:2] == b"\x1f\x8b":
        with raw:
            return _spooled(_inflated(raw), path)
    for other, kind in _NOT_READ.items():
        if magic.startswith(other):
            raise Unreadable(
                f"{path}: is compressed with {kind}; unpack it and pipe it in: {kind} -dc FILE | slurm-doctor -"
            )
    if not raw.seekable():
        with raw:
            return _spooled(_chunks(raw), path)
    return _checked(Log(path, raw, os.fstat(raw.fileno()).st_size))


def _chunks(source: BinaryIO) -> Iterator[bytes]:
    while chunk := source.read(_CHUNK_BYTES):
        yield chunk


def _inflated(source: BinaryIO) -> Iterator[bytes]:
    """The content of a gzip file of one or several members, as far as it goes."""
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    for chunk in _chunks(source):
        while chunk:
            if inflater.eof:
                inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
            yield inflater.decompress(chunk)
            chunk = inflater.unused_data
    if not inflater.eof:
        raise EOFError("the file ends before its compressed data do")


def _spooled(chunks: Iterator[bytes], name: str) -> Log:
    """Copy a stream to a temporary file, since the second pass needs to go back. A broken end is noted, not fatal."""
    import tempfile

    spool = tempfile.TemporaryFile(prefix="slurm-doctor-")  # noqa: SIM115 - the Log owns it
    notes = []
    try:
        for chunk in chunks:
            spool.write(chunk)
    except OSError as error:
        raise Unreadable(f"{name}: cannot be copied to a temporary file: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        if spool.tell() == 0:
            raise Unreadable(f"{name}: not a readable gzip file: {error}") from None
        notes.append(f"{name}: the compressed data break off: {error}; what came before was read")
    return _checked(Log(name, spool, spool.tell(), notes))


def _checked(log: Log) -> Log:
    head = log.read(0, 8192)
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
    if head.startswith((b"\x1f\x8b", *_NOT_READ)):
        return True
    odd = 1 - len(head.translate(None, _CONTROLS)) / max(1, len(head))
    foreign = head.decode("utf-8", "replace").count("\ufffd") / max(1, len(head))
    return odd > 0.3 or (odd > 0.05 and foreign > 0.2)
