"""Rules ready for use: read, checked, with their literals; made once and kept as one JSON file.

A wheel carries the shipped rules in this form, so an installed tool reads no YAML. Rules of a site or of a checkout are
compiled when their content changes and kept in the user's cache folder, under the hash of all they depend on. JSON, since
it holds data only: whatever a file there says, nothing of it is executed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from diagnose.signatures.faults import Fault
from diagnose.signatures.patterns import search

COMPILED = "compiled.json"
"""The name of the compiled rules beside the YAML files that they were made of."""

EXAMPLE_SUFFIXES = (".log", ".txt")
"""What files with examples are called (diagnose/signatures/example_files.py)."""

MOST_KEPT = 8
"""Compiled rules in the cache folder; older ones go."""

MARKER_TABLES = ("progress", "success", "topology", "launches", "checkpoints")


class Literal(Struct, frozen=True, array_like=True):
    """A byte string to look for, and who asks for it: a signature or marker, and which of its patterns (from 0)."""

    text: bytes
    caseless: bool
    owners: tuple[tuple[str, int], ...]


class Marker(Struct, frozen=True):
    """A line that is no failure but says how the job went: a step done, a success, who runs where.

    ``unless`` is a veto on the same line; a ``general`` one holds where no other of its kind does; ``row`` is the row of
    the table that it comes from.
    """

    id: str
    kind: str
    name: str
    pattern: str
    row: dict[str, str]
    unless: str | None = None
    general: bool = False

    def found_in(self, text: bytes) -> dict[str, bytes] | None:
        """Named groups where the marker holds for the line; None otherwise."""
        groups = search(self.pattern, text)
        if groups is None or (self.unless is not None and search(self.unless, text) is not None):
            return None
        return groups


class Also(Struct, frozen=True, array_like=True):
    """Texts that a pattern needs beside the literal that led to it: one of each set."""

    caseless: bool
    sets: tuple[tuple[bytes, ...], ...]

    def allows(self, line: bytes) -> bool:
        """Whether a line has them all. It costs a twentieth of what the pattern costs."""
        if self.caseless:
            line = line.lower()
        return all(any(text in line for text in texts) for texts in self.sets)


class Compiled(Struct, frozen=True):
    """A set of rules. Signatures and tables stay undecoded until somebody asks for one."""

    signatures: dict[str, Raw]
    tables: dict[str, Raw]
    markers: list[Marker]
    literals: list[Literal]
    also: dict[str, Raw]
    """For each owner of literals and each of its patterns the further literals without which it cannot match (``Also``)."""
    exceptions: list[str]
    general: dict[str, list[str]]
    """For each id, every id that it refines, also through others."""
    files: dict[str, str]
    faults: list[Fault]


def load_compiled(folders: Sequence[Path]) -> Compiled:
    """The rules of the folders, laid over each other: from the wheel, from the cache, or compiled now."""
    shipped = folders[0] / COMPILED
    if len(folders) == 1 and shipped.is_file():
        return _decode(shipped.read_bytes())
    name = f"{_content_hash(folders)}.json"
    cache = _cache_folder()
    if cache is not None:
        try:
            return _decode((cache / name).read_bytes())
        except (OSError, msgspec.DecodeError):
            pass
    from diagnose.signatures.compiler import compile_rules  # 60 ms, for rules that nobody compiled yet

    fresh = compile_rules(folders)
    if cache is not None:
        _keep(cache, name, msgspec.json.encode(fresh))
    return fresh


def _decode(data: bytes) -> Compiled:
    return msgspec.json.decode(data, type=Compiled)


def _content_hash(folders: Iterable[Path]) -> str:
    """The hash of the path and content of every rule file and example, and of the code that compiles them."""
    import hashlib

    digest = hashlib.sha256()
    package = Path(__file__).parent
    for path in [package.parent / "model.py", *sorted(package.glob("*.py"))]:
        digest.update(path.read_bytes())
    for folder in folders:
        digest.update(b"\0folder\0" + folder.name.encode())
        compiled = folder / COMPILED
        files = [str(compiled)] if compiled.is_file() else sorted(_rule_files(str(folder)))
        for name in files:
            try:
                with open(name, "rb") as file:
                    content = file.read()
            except OSError as error:  # the compiler will name it
                content = str(error).encode()
            digest.update(f"{os.path.relpath(name, folder)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _rule_files(folder: str) -> Iterable[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _rule_files(entry.path)
            elif entry.name.endswith((".yaml", ".yml", *EXAMPLE_SUFFIXES)):
                yield entry.path


def _cache_folder() -> Path | None:
    """The folder for compiled rules, ours alone; None where there is none to be had."""
    from platformdirs import user_cache_path

    folder = user_cache_path("slurm-doctor")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return None
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        return None
    return folder


def _keep(cache: Path, name: str, data: bytes) -> None:
    """Write a file whole or not at all. A full or read-only disk only costs the next run its time."""
    import tempfile

    try:
        handle, path = tempfile.mkstemp(prefix=name, dir=cache)
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(path, cache / name)
        kept = sorted(cache.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in kept[:-MOST_KEPT]:
            old.unlink()
    except OSError:
        pass
