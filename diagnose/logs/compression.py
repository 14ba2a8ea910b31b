"""Compressed bytes in, plain bytes out: gzip, xz, bzip2 and zstd, known by their first bytes, in pieces of bounded size.

Several members or frames may stand one after the other, with NULs between them. gzip goes through ``isal`` where that is
installed (the same bytes in half the time); zstd needs Python 3.14 or the package ``zstandard``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Protocol

PIECE_BYTES = 256 * 1024
"""How much comes out at once (zstd through the package ``zstandard``: at most 64 MiB, and that only from a bomb)."""

MOST_MEMORY = 1 << 30
"""What an xz file may ask for as its dictionary; ``xz -9`` asks for 65 MiB."""

SUFFIXES = {".gz", ".xz", ".bz2", ".zst"}

_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
}
_SLICE_BYTES = 2 * 1024


class Broken(Exception):
    """The compressed data cannot be read from here on."""


class Missing(Exception):
    """This Python lacks what reads the format; the text says what to install or how to do without."""


class _Member(Protocol):
    """What decompresses one member, frame or stream, as ``lzma``, ``bz2`` and ``compression.zstd`` have it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def compression_of(head: bytes) -> str | None:
    """``gzip``, ``xz``, ``bzip2`` or ``zstd``, if the first bytes of a file are those of one."""
    return next((kind for kind, magic in _MAGIC.items() if magic.match(head)), None)


def decompressed(chunks: Iterable[bytes], kind: str) -> Iterator[bytes]:
    """The plain bytes, as far as they go. Raises ``Missing`` at once, ``Broken`` where the data break off."""
    new, errors = _reader(kind)
    return _pieces(chunks, new, errors)


def _pieces(
    chunks: Iterable[bytes], new: Callable[[], _Member], errors: tuple[type[Exception], ...]
) -> Iterator[bytes]:
    member: _Member | None = None
    for chunk in chunks:
        while chunk:
            if member is None:
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    break
                member = new()
            while True:
                try:
                    piece = member.decompress(chunk, PIECE_BYTES)
                except errors as error:
                    raise Broken(str(error)) from None
                if piece:
                    yield piece
                chunk = b""
                if member.eof or member.needs_input:
                    break
            if member.eof:
                chunk = member.unused_data
                member = None
    if member is not None:
        raise Broken("the file ends before its compressed data do")


def _reader(kind: str) -> tuple[Callable[[], _Member], tuple[type[Exception], ...]]:
    """What makes the reader of one member, and what that may raise."""
    try:
        return _READERS[kind]()
    except ImportError:
        install = " (or install it: pip install 'slurm-doctor[zstd]')" if kind == "zstd" else ""
        raise Missing(
            f"is compressed with {kind}, which this Python cannot read; pipe it in: "
            f"{kind} -dc FILE | slurm-doctor -{install}"
        ) from None


def _gzip() -> tuple[Callable[[], _Member], tuple[type[Exception], ...]]:
    try:
        library: Any = import_module("isal.isal_zlib")
    except ImportError:
        library = import_module("zlib")
    return lambda: _Deflate(library), (library.error,)


def _xz() -> tuple[Callable[[], _Member], tuple[type[Exception], ...]]:
    import lzma

    return lambda: lzma.LZMADecompressor(memlimit=MOST_MEMORY), (lzma.LZMAError,)


def _bzip2() -> tuple[Callable[[], _Member], tuple[type[Exception], ...]]:
    import bz2

    return bz2.BZ2Decompressor, (OSError, ValueError)


def _zstd() -> tuple[Callable[[], _Member], tuple[type[Exception], ...]]:
    try:
        standard: Any = import_module("compression.zstd")
    except ImportError:
        package: Any = import_module("zstandard")
        return lambda: _Frame(package), (package.ZstdError,)
    return standard.ZstdDecompressor, (standard.ZstdError,)


_READERS = {"gzip": _gzip, "xz": _xz, "bzip2": _bzip2, "zstd": _zstd}


class _Deflate:
    """A gzip member, read by ``zlib`` or by what has its interface."""

    def __init__(self, library: Any) -> None:
        self._inflater = library.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return bool(self._inflater.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inflater.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        piece: bytes = self._inflater.decompress(self._inflater.unconsumed_tail + data, max_length)
        self.needs_input = not self._inflater.unconsumed_tail and len(piece) < max_length
        return piece


class _Frame:
    """A zstd frame, read by the package ``zstandard``: it knows no largest size, so it gets the data in slices."""

    def __init__(self, package: Any) -> None:
        self._inflater = package.ZstdDecompressor().decompressobj()
        self._rest = memoryview(b"")

    @property
    def eof(self) -> bool:
        return bool(self._inflater.eof)

    @property
    def needs_input(self) -> bool:
        return not self._rest

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inflater.unused_data) + bytes(self._rest)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if data:
            self._rest = memoryview(bytes(self._rest) + data)
        piece: bytes = self._inflater.decompress(self._rest[:_SLICE_BYTES])
        self._rest = self._rest[_SLICE_BYTES:]
        return piece
