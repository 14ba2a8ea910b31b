"""Facts in, the answer out: topology, order, survival, deaths, causality, blame and words; deterministic and offline."""

from diagnose.verdict.answer import answer

__all__ = ["answer"]
