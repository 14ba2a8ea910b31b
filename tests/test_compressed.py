"""Compressed logs: the same bytes whatever packed them, as far as they go, never without end."""

from __future__ import annotations

import bz2
import errno
import gzip
import importlib.util
import io
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT

from diagnose import Unreadable, diagnose, diagnose_together
from diagnose.diagnosis import Options
from diagnose.logs import open_log, spool
from diagnose.logs.compression import Broken, Missing, compression_of, decompressed
from diagnose.logs.folder import read_writer
from diagnose.logs.source import Writer
from diagnose.logs.spool import Spool
from diagnose.signatures import Catalogue

FAILING = ROOT / "fixtures/slurm/018-rank7-thread-oom-then-nccl-timeouts-134.log"
PLAIN = b"".join(b"%6d: a line of a log, unlike the others: %x\n" % (n, n * n * 7919) for n in range(40_000))


def zstd(data: bytes) -> bytes:
    done = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True)
    return done.stdout


NO_ZSTD = not shutil.which("zstd") or not any(
    importlib.util.find_spec(name)
    for name in ("zstandard", *(["compression.zstd"] if sys.version_info >= (3, 14) else []))
)
PACKERS = [
    pytest.param("gzip", ".gz", gzip.compress, id="gzip"),
    pytest.param("xz", ".xz", lzma.compress, id="xz"),
    pytest.param("bzip2", ".bz2", bz2.compress, id="bzip2"),
    pytest.param("zstd", ".zst", zstd, id="zstd", marks=pytest.mark.skipif(NO_ZSTD, reason="zstd is not installed")),
]
packers = pytest.mark.parametrize(("kind", "suffix", "pack"), PACKERS)
Pack = Callable[[bytes], bytes]


def chunks(data: bytes, size: int = 64 * 1024) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def as_far_as_it_goes(data: bytes, kind: str) -> tuple[bytes, bool]:
    """The plain bytes, and whether they broke off."""
    plain = []
    try:
        for piece in decompressed(chunks(data), kind):
            plain.append(piece)
    except Broken:
        return b"".join(plain), True
    return b"".join(plain), False


@packers
def test_members_one_after_the_other_are_read_with_padding_between(kind: str, suffix: str, pack: Pack) -> None:
    packed = pack(PLAIN[:1000]) + pack(b"") + b"\0" * 512 + pack(PLAIN[1000:])
    assert compression_of(packed) == kind
    for size in (1, 7, 64 * 1024) if kind != "bzip2" else (97, 64 * 1024):
        assert b"".join(decompressed(chunks(packed, size), kind)) == PLAIN


@packers
def test_cut_data_give_what_came_before(kind: str, suffix: str, pack: Pack) -> None:
    packed = pack(PLAIN[:1_000_000]) + pack(PLAIN[1_000_000:])
    for kept in (len(packed) - 3, len(packed) - len(packed) // 4):
        plain, broke_off = as_far_as_it_goes(packed[:kept], kind)
        assert broke_off
        assert len(plain) >= 900_000
        assert PLAIN.startswith(plain)


@packers
def test_garbage_behind_a_member_is_told(kind: str, suffix: str, pack: Pack) -> None:
    assert as_far_as_it_goes(pack(PLAIN) + b"garbage, not a member", kind) == (PLAIN, True)


@pytest.mark.parametrize("missing", [[], ["isal.isal_zlib"]])
def test_gzip_gives_the_same_bytes_with_and_without_isal(missing: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for module in missing:
        monkeypatch.setitem(sys.modules, module, None)
    packed = gzip.compress(PLAIN)
    for kept in range(0, len(packed), 9973):
        plain, broke_off = as_far_as_it_goes(packed[:kept], "gzip")
        assert PLAIN.startswith(plain)
        assert broke_off == (kept > 0)
    assert as_far_as_it_goes(packed, "gzip") == (PLAIN, False)


@packers
def test_a_bomb_comes_out_in_pieces(kind: str, suffix: str, pack: Pack) -> None:
    packed = pack(bytes(300_000_000))
    tracemalloc.start()
    try:
        assert sum(map(len, decompressed(chunks(packed), kind))) == 300_000_000
        assert tracemalloc.get_traced_memory()[1] < 140_000_000
    finally:
        tracemalloc.stop()


@packers
def test_a_compressed_log_is_diagnosed_wherever_it_stands(
    kind: str, suffix: str, pack: Pack, tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / f"rank_7.log{suffix}"
    packed.write_bytes(pack(FAILING.read_bytes()))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed.read_bytes())))
    answers = [
        diagnose(FAILING, catalogue=catalogue),
        diagnose(packed, catalogue=catalogue),
        diagnose("-", catalogue=catalogue),
        diagnose(tmp_path, catalogue=catalogue),
        diagnose_together([packed], catalogue=catalogue),
    ]
    assert {(one.cause.line, one.category, one.first_failure.rank) for one in answers} == {(30, "gpu-memory", 7)}
    assert not any(one.notes for one in answers)


@packers
def test_a_compressed_baseline_is_read_and_its_broken_end_told(
    kind: str, suffix: str, pack: Pack, tmp_path: Path, catalogue: Catalogue
) -> None:
    good = tmp_path / f"good{suffix}"
    good.write_bytes(pack(b"an odd line that says failed\n" * 10) + pack(b"and more\n")[:-1])
    bad = tmp_path / "bad.log"
    bad.write_text("an odd line that says failed\nsrun: error: node1: task 0: Exited with exit code 1\n")
    found = diagnose(bad, Options(baseline=str(good)), catalogue)
    assert any("good" in note and "break off" in note for note in found.notes)


@packers
def test_garbage_behind_the_magic_is_one_clear_line(kind: str, suffix: str, pack: Pack, tmp_path: Path) -> None:
    log = tmp_path / "bad.log"
    log.write_bytes(pack(PLAIN)[:10] + b"garbage " * 100)
    with pytest.raises(Unreadable, match=f"not a readable {kind} file"):
        open_log(str(log))


def test_zstd_without_a_reader_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)
    log = tmp_path / "job.log.zst"
    log.write_bytes(b"\x28\xb5\x2f\xfd data")
    with pytest.raises(Unreadable) as told:
        open_log(str(log))
    for part in ("compressed with zstd", "zstd -dc FILE | slurm-doctor -", "slurm-doctor[zstd]"):
        assert part in str(told.value)
    with pytest.raises(Missing):
        decompressed([], "zstd")


def test_text_that_begins_like_bzip2_is_text() -> None:
    assert compression_of(b"BZh9 is how a bzip2 file begins") is None


def test_a_packed_binary_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SHORT_BYTES", 0)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: pytest.fail("copied"))
    log = tmp_path / "core.gz"
    log.write_bytes(gzip.compress(b"\x7fELF" + bytes(1_000_000)))
    with pytest.raises(Unreadable, match="is a binary file"):
        open_log(str(log))


def test_a_short_stream_needs_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: pytest.fail("copied"))
    log = tmp_path / "job.gz"
    log.write_bytes(gzip.compress(PLAIN))
    assert open_log(str(log)).read(0, len(PLAIN)) == PLAIN


def test_a_long_stream_is_read_back_from_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SHORT_BYTES", 1000)
    copy = Spool()
    copy.fill(chunks(PLAIN, 300))
    assert (copy.size, copy.ended) == (len(PLAIN), "")
    file = copy.file
    file.seek(0)
    assert file.read() == PLAIN


def test_a_stream_without_end_ends_at_the_limit() -> None:
    copy = Spool(most_bytes=10_000)
    copy.fill(iter(lambda: b"x" * 999, b""))
    assert copy.size == 10_000
    assert "more than is read" in copy.ended


def test_a_nearly_full_temporary_folder_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SHORT_BYTES", 1_000_000)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_blocks=1 << 30, f_frsize=4096, f_bavail=1000))
    log = tmp_path / "job.log.gz"
    log.write_bytes(gzip.compress(PLAIN))
    found = open_log(str(log))
    assert any("is nearly full" in note and "what came before was read" in note for note in found.notes)
    assert PLAIN.startswith(found.read(0, found.size))
    assert 600_000 <= found.size <= 1_000_000


def test_a_disk_that_fills_up_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.FileIO):
        def write(self, data: object) -> int:
            if self.tell() > 5000:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(bytes(data)[:700])  # type: ignore[call-overload]

    monkeypatch.setattr(spool, "SHORT_BYTES", 1000)
    number, name = tempfile.mkstemp()
    os.close(number)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full(name, "w+"))
    copy = Spool()
    copy.fill(chunks(PLAIN, 900))
    os.unlink(name)
    assert "No space left" in copy.ended
    file = copy.file
    file.seek(0)
    assert 5000 < copy.size < 6000
    assert file.read() == PLAIN[: copy.size]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_a_compressed_members_name_tells_the_same(suffix: str) -> None:
    assert read_writer(f"train-4242-12.out{suffix}") == Writer(task=12)
    assert read_writer(f"run/attempt_1/3/stderr.log{suffix}") == Writer(local_rank=3, attempt=1)
