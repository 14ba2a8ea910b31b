"""Paths in, bytes out: logs opened from files, folders, compressed files or standard input, in blocks and windows."""

from diagnose.logs.folder import find_dumps, open_folder, read_writer
from diagnose.logs.own_report import BEGIN, END, without_reports
from diagnose.logs.source import BLOCK_BYTES, REACH, Block, Log, Unreadable, Writer, open_log
from diagnose.logs.text import segments

__all__ = [
    "BEGIN",
    "BLOCK_BYTES",
    "END",
    "REACH",
    "Block",
    "Log",
    "Unreadable",
    "Writer",
    "find_dumps",
    "open_folder",
    "open_log",
    "read_writer",
    "segments",
    "without_reports",
]
