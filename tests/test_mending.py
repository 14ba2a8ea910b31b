"""Lines that were cut in two: put together where known words lie across the cut, left alone elsewhere."""

from __future__ import annotations

import pytest

from diagnose.events.lines import read_lines
from diagnose.events.mending import mend
from diagnose.scan import StandardEngine
from diagnose.signatures import Catalogue


def mended(text: str, catalogue: Catalogue) -> list[tuple[int, str]]:
    lines = mend(read_lines([(1, text.encode())]), catalogue, StandardEngine(catalogue.literals))
    return [(line.number, line.text.decode()) for line in lines]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("0: torch.OutOfMemoryError: CUDA out of mem\n0: ory. Tried to allocate 2.00 GiB\n",
         (1, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")),
        ("0: [rank0]: RuntimeErr\n1: a line of another task\n0: or: something of our own\n", (1, "RuntimeError: something of our own")),
        ('0: Traceback (most rec\n0: ent call last):\n0:   F\n0: ile "/x/train.py", line 3, in main\n',
         (3, '  File "/x/train.py", line 3, in main')),
        ("3: slurmstepd: error: Detected 1 oom_k\n3: ill event in StepId=7.0. Some of the step tasks have been OOM Killed.\n",
         (1, "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.")),
        ("1: a\n0: torch.OutOfMemoryErr\n0: or: CUDA out of mem\n0: ory. Tried to allocate 1 GiB\n",
         (2, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB")),
        ("0: Asserti\n0: onError\n", (1, "AssertionError")),
        ("0: StopIt\n0: eration\n", (1, "StopIteration")),
        ("0: distributed.scheduler.Killed\n0: Worker: Attempted to run task x on 3 different workers\n",
         (1, "distributed.scheduler.KilledWorker: Attempted to run task x on 3 different workers")),
        ("0: [rank8]: TypeError: 'NoneType' object \n0: is not an iterator\n", (1, "TypeError: 'NoneType' object is not an iterator")),
    ],
)  # fmt: skip
def test_halves_behind_labels(text: str, whole: tuple[int, str], catalogue: Catalogue) -> None:
    assert whole in mended(text, catalogue)


def test_words_wrapped_at_80_columns(catalogue: Catalogue) -> None:
    text = "RuntimeError: the model that was loaded on device 12 met a CUDA error: an\nillegal memory access was encountered\n"
    assert mended(text, catalogue) == [(1, text.strip().replace("\n", " "))]


def test_a_terminal_cuts_wherever_its_width_ends(catalogue: Catalogue) -> None:
    text = "RuntimeError: the model that was loaded on device 12 met a CUDA error: an illegal me\nmory access was encountered\n"
    assert mended(text, catalogue) == [(1, text.replace("\n", ""))]


@pytest.mark.parametrize(
    "text",
    [
        "0: step 1 loss 2.0\n0: step 2 loss 1.9\n",
        "0: RuntimeError: x\n0: out of memory is no word of that message\n",
        "0: Killed\n0: CUDA error: out of memory\n",
        "0: Killed\n0: Jobs: 3\n",
        "0: My\n0: AssertionError\n",
        "0: [rank8]: TypeError: an object\n0: is not an iterator\n",
        "0: CUDA out of\n1: memory. Tried to allocate 2 GiB\n0: x\n1: y\n",
        "CUDA out of mem\nory. Tried to allocate 2.00 GiB\n",
    ],
)
def test_whole_lines_stay(text: str, catalogue: Catalogue) -> None:
    assert [number for number, _ in mended(text, catalogue)] == list(range(1, text.count("\n") + 1))


def test_the_message_of_an_exception_may_be_cut(catalogue: Catalogue, diagnose_text) -> None:  # type: ignore[no-untyped-def]
    found = diagnose_text(
        '0: Traceback (most recent call last):\n0:   File "/x/train.py", line 3, in main\n0:     main()\n'
        "0: ValueError: num_heads (28) must be divi\n0: sible by tensor_parallel_size (8)\n1: hello\n"
        "srun: error: n1: task 0: Exited with exit code 1\n"
    )
    assert (found.category, found.cause.line, found.first_failure.rank) == ("config", 4, 0)
