"""Facts in, the answer out: topology, order, survival, deaths, causality, blame and words; deterministic and offline."""

from diagnose.verdict.answer import answer
from diagnose.verdict.caller import with_exit_code
from diagnose.verdict.evidence import templates_of
from diagnose.verdict.wording import fill, fill_command, visible

__all__ = ["answer", "fill", "fill_command", "templates_of", "visible", "with_exit_code"]
