"""Bytes and literals in, hits and windows out: the first pass over every byte of a log, exact and bounded in memory."""

from diagnose.scan.engine import Engine, StandardEngine, choose_engine
from diagnose.scan.scan import Scanned, Scanner
from diagnose.scan.texts import hits_in
from diagnose.scan.windows import WHOLE_BYTES, Window, cut_windows

__all__ = [
    "WHOLE_BYTES",
    "Engine",
    "Scanned",
    "Scanner",
    "StandardEngine",
    "Window",
    "choose_engine",
    "cut_windows",
    "hits_in",
]
