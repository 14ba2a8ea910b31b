"""Facts in, the answer out: topology, order, survival, deaths, causality, blame and words; deterministic and offline."""

from diagnose.verdict.answer import answer
from diagnose.verdict.caller import with_exit_code

__all__ = ["answer", "with_exit_code"]
