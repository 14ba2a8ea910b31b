"""An example as other launchers and terminals show it: the same failure must be found in each of these forms.

Each form turns the text of an example into bytes, or into None where it would say something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from diagnose.model import Signature
from diagnose.signatures.literals import texts_of
from diagnose.signatures.patterns import search

PREFIXES = {
    "srun --label": "3: ",
    "srun --label with 16 tasks": " 7: ",
    "srun --label with 512 tasks": "  5: ",
    "PyTorch's rank": "[rank3]: ",
    "torchrun --tee": "[default1]:",
    "torchrun --tee in srun --label": "0: [default3]:",
    "torchrun --tee and PyTorch's rank": "[default1]:[rank5]: ",
    "mpirun --tag-output": "[1,3]<stderr>:",
    "mpirun of SageMaker": "[1,mpirank:3,algo-2]<stderr>:",
    "horovodrun": "[3]<stderr>:",
    "pdsh and DeepSpeed": "node-03: ",
    "a Ray actor": "(RayTrainWorker pid=1234, ip=10.0.0.3) ",
    "a coloured Ray actor": "\x1b[36m(RayTrainWorker pid=4242)\x1b[0m ",
    "Kubernetes": "2026-01-02T03:04:05.678901234Z stderr F ",
}
"""What launchers put in front of every line."""

LOGGER_HEAD = "[2026-01-02 03:04:05,678] [train.py:77:main] "
"""Without a level, since that may be what `unless` asks for."""

BAR = " 41%|████▏     | 41/100 [00:10<00:14,  4.02it/s]"

Form = Callable[[Signature, str], bytes | None]


def forms() -> Iterator[tuple[str, Form]]:
    """Every form with its name, as it stands behind the word "example" in a message."""
    for name, prefix in PREFIXES.items():
        yield f"behind the prefix of {name}", _each_line(prefix, "")
    yield "behind the head of a logger", _behind_a_logger
    yield "in colour", _each_line("\x1b[1;31m", "\x1b[0m")
    yield "with CRLF", _each_line("", "\r")
    yield "glued to a progress bar", _glued(BAR)
    yield "glued to a progress bar that redraws itself", _glued(BAR + "\r" + BAR + "\r")
    yield "cut in two by srun --label", cut_in_two


def _each_line(before: str, behind: str) -> Form:
    def make(_: Signature, log: str) -> bytes:
        return "".join(f"{before}{line}{behind}\n" for line in _lines(log)).encode()

    return make


def _glued(bar: str) -> Form:
    def make(_: Signature, log: str) -> bytes:
        return f"{bar}{log}".encode()

    return make


def _behind_a_logger(signature: Signature, log: str) -> bytes | None:
    """None where a logger cannot stand: several lines, exceptions, and what begins its line by its own form (``^``)."""
    lines = _lines(log)
    pattern = next((pattern for pattern in signature.match if search(pattern, lines[0].encode()) is not None), None)
    return None if pattern is None or len(lines) > 1 or is_anchored(pattern) else f"{LOGGER_HEAD}{log}".encode()


def is_anchored(pattern: str) -> bool:
    """Whether a pattern asks for the start of the line, in one of its branches."""
    return re.search(r"(?<![\[\\])\^", pattern) is not None


def cut_in_two(signature: Signature, log: str) -> bytes | None:
    """Behind task labels, with the line that matters cut in the middle of a literal (diagnose/events/mending.py).

    None where no cut separates the words: another part of the line says the same.
    """
    lines = [line.encode() for line in _lines(log)]
    for place, at in _cuts(signature, lines):
        halves = [lines[place][:at], lines[place][at:]]
        if all(halves) and not _says_it(signature, [*halves, b"\0".join(halves)]):
            lines[place : place + 1] = halves
            return b"".join(b"0: " + line + b"\n" for line in lines)
    return None


def _cuts(signature: Signature, lines: list[bytes]) -> Iterator[tuple[int, int]]:
    """Places to cut, as (line, offset): the middles of literals, long ones first; the name of an exception last."""
    message = signature.exception.message if signature.exception else None
    found = []
    for pattern in signature.match or ([message] if message else []):
        for place, line in enumerate(lines):
            if search(pattern, line) is None:
                continue
            for literal in texts_of(pattern):
                start = line.lower().find(literal)
                if start >= 0:
                    found.append((-len(literal), place, start + len(literal) // 2))
    yield from ((place, at) for _, place, at in sorted(found))
    if signature.exception:
        for place, line in reversed(list(enumerate(lines))):
            if name := re.match(rb"(?:\w+\.)*([A-Z]\w+)(?=:|\s*$)", line):
                yield place, (name.start(1) + name.end(1)) // 2


def _says_it(signature: Signature, texts: list[bytes]) -> bool:
    return any(search(pattern, text) is not None for pattern in signature.match for text in texts)


def _lines(log: str) -> list[str]:
    return log.rstrip("\n").split("\n")
