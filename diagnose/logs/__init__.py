"""Paths in, bytes out: logs opened from files, folders, compressed files or standard input, in blocks and windows."""

from diagnose.logs.folder import Folder, list_folder, open_folder, read_dumps, read_writer
from diagnose.logs.meter import Meter, Progress
from diagnose.logs.own_report import BEGIN, END, without_reports
from diagnose.logs.source import BLOCK_BYTES, REACH, Block, Log, Unreadable, Writer, open_log
from diagnose.logs.text import segments

__all__ = [
    "BEGIN",
    "BLOCK_BYTES",
    "END",
    "REACH",
    "Block",
    "Folder",
    "Log",
    "Meter",
    "Progress",
    "Unreadable",
    "Writer",
    "list_folder",
    "open_folder",
    "open_log",
    "read_dumps",
    "read_writer",
    "segments",
    "without_reports",
]
