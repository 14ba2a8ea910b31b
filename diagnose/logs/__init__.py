"""Paths in, bytes out: logs opened from files, compressed files or standard input, in blocks and in windows."""

from diagnose.logs.own_report import BEGIN, END, without_reports
from diagnose.logs.source import BLOCK_BYTES, Log, Unreadable, open_log
from diagnose.logs.text import segments

__all__ = ["BEGIN", "BLOCK_BYTES", "END", "Log", "Unreadable", "open_log", "segments", "without_reports"]
