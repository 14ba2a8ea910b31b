"""Bytes and literals in, hits out: the first pass over every byte of a log, exact and bounded in memory."""

from diagnose.scan.engine import Engine, StandardEngine

__all__ = ["Engine", "StandardEngine"]
