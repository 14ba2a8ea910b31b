"""Labelled logs in, figures out: each log with a .yaml beside it is diagnosed and held against its ``expect``."""

from diagnose.check.case import Case, CaseFault, Outcome, find_cases, run_case
from diagnose.check.figures import Figures, count_figures

__all__ = ["Case", "CaseFault", "Figures", "Outcome", "count_figures", "find_cases", "run_case"]
