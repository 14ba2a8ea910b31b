"""Tracebacks: frames, chains, wrappers, interleaving, reports."""

from __future__ import annotations

from diagnose.events.lines import read_lines
from diagnose.events.streams import split_streams
from diagnose.events.tracebacks import Raised, read_tracebacks


def raised(text: str) -> list[Raised]:
    lines = read_lines([(1, text.encode())])
    return [one for stream in split_streams(lines) for one in read_tracebacks(stream).raised]


def test_a_traceback_gives_type_message_line_and_frames() -> None:
    (one,) = raised(
        "Traceback (most recent call last):\n"
        '  File "/a/train.py", line 9, in main\n'
        "    report['accuracy']\n"
        "    ~~~~~~^^^^^^^^^^^^\n"
        "KeyError: 'accuracy'\n"
    )
    (link,) = one.links
    assert (link.type, link.message, link.line.number, link.frames) == (
        "KeyError",
        "'accuracy'",
        5,
        ("/a/train.py:main",),
    )


def test_a_chain_keeps_its_order_and_how_it_is_joined() -> None:
    (one,) = raised(
        'Traceback (most recent call last):\n  File "q.py", line 1, in get\n_queue.Empty\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "t.py", line 2, in run\nRuntimeError: no data\n'
    )
    assert [link.type for link in one.links] == ["_queue.Empty", "RuntimeError"]
    assert one.joins == ["handling"]


def test_the_original_traceback_of_a_data_loader_worker_is_joined() -> None:
    (one,) = raised(
        'Traceback (most recent call last):\n  File "t.py", line 2, in run\n'
        "ValueError: Caught ValueError in DataLoader worker process 0.\n"
        'Original Traceback (most recent call last):\n  File "d.py", line 5, in get\nValueError: sample 77 is short\n'
    )
    assert [link.line.number for link in one.links] == [3, 6]
    assert one.joins == ["original"]


def test_interleaved_ranks_are_kept_apart_by_their_labels() -> None:
    found = raised(
        "0: Traceback (most recent call last):\n"
        "1: Traceback (most recent call last):\n"
        '0:   File "a.py", line 1, in f\n'
        '1:   File "b.py", line 1, in g\n'
        "1: ValueError: one\n"
        "0: KeyError: zero\n"
    )
    assert {(one.links[0].type, one.links[0].line.label.task) for one in found} == {("KeyError", 0), ("ValueError", 1)}


def test_a_logged_or_ignored_exception_is_handled() -> None:
    (one,) = raised(
        "Exception ignored in: <function f at 0x1>\n"
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nFileNotFoundError: [Errno 2] No such file\n'
    )
    assert one.handled


def test_a_thread_is_named() -> None:
    (one,) = raised(
        "Exception in thread Thread-3 (Embed):\n"
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nRuntimeError: x\n'
    )
    assert one.thread == "Thread-3 (Embed)"


def test_a_bare_exception_line_counts_too() -> None:
    (one,) = raised("[rank15]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.63 GiB.\n")
    assert one.links[0].type == "torch.OutOfMemoryError"
    assert one.header is None


def test_prose_with_the_word_error_is_no_exception() -> None:
    assert raised("INFO: number of errors: 0\nValueError rate 0.1\nNo Error: fine\n") == []


def test_a_rich_traceback_ends_behind_its_box() -> None:
    (one,) = raised(
        "│ x                                │\n╰──────────────────────────────────╯\nRuntimeError: CUDA error: x\n"
    )
    assert one.links[0].type == "RuntimeError"


def test_an_exception_group_leads_to_its_first_member() -> None:
    (one,) = raised(
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "t.py", line 2, in run\n'
        "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
        "  +-+---------------- 1 ----------------\n"
        "    | Traceback (most recent call last):\n"
        '    |   File "d.py", line 5, in get\n'
        "    | ValueError: sample 77 is short\n"
        "    +------------------------------------\n"
    )
    assert [link.type for link in one.links] == ["ExceptionGroup", "ValueError"]
    assert one.joins == ["original"]


def test_what_stands_in_front_of_every_line_of_a_traceback_is_cut_off() -> None:
    (one,) = raised(
        "2026-03-04 10:00:01 trainer | Traceback (most recent call last):\n"
        '2026-03-04 10:00:01 trainer |   File "t.py", line 2, in run\n'
        "2026-03-04 10:00:02 trainer |     read(sample)\n"
        "2026-03-04 10:00:02 trainer | ValueError: sample 77 is short\n"
    )
    assert (one.links[0].type, one.links[0].message, one.links[0].frames) == (
        "ValueError",
        "sample 77 is short",
        ("t.py:run",),
    )


def test_the_traceback_of_another_rank_that_a_checkpoint_error_carries() -> None:
    (one,) = raised(
        "[rank0]: Traceback (most recent call last): (RANK 5)\n"
        '[rank0]:   File "torch/distributed/checkpoint/filesystem.py", line 440, in _write_files_from_queue\n'
        "[rank0]:     os.fsync(stream.fileno())\n"
        "[rank0]: OSError: [Errno 28] No space left on device\n"
    )
    assert (one.rank, one.links[0].type) == (5, "OSError")


def test_a_message_goes_on_behind_the_clock_of_a_container_runtime_but_not_behind_its_own() -> None:
    head = "2026-01-02T03:04:05.678901234Z stderr F "
    (one,) = raised(
        f"{head}yaml.scanner.ScannerError: mapping values are not allowed here\n"
        f'{head}  in "conf/gpt.yaml", line 3, column 10\n'
        f"{head}2026-01-02 03:04:05,678 - train - INFO - going on\n"
    )
    assert one.links[0].message == 'mapping values are not allowed here\n  in "conf/gpt.yaml", line 3, column 10'
