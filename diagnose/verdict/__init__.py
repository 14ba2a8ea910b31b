"""Facts in, the answer out: topology, order, survival, deaths, causality, blame and words; deterministic and offline."""

from diagnose.verdict.answer import answer
from diagnose.verdict.caller import with_exit_code
from diagnose.verdict.evidence import templates_of
from diagnose.verdict.wording import visible

__all__ = ["answer", "templates_of", "visible", "with_exit_code"]
