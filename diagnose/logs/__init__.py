"""Paths in, bytes out: logs opened from files, compressed files or standard input, in blocks and in windows."""

from diagnose.logs.source import BLOCK_BYTES, Log, Unreadable, open_log
from diagnose.logs.text import segments

__all__ = ["BLOCK_BYTES", "Log", "Unreadable", "open_log", "segments"]
