"""Labelled logs in, figures out: each log with a .yaml beside it is diagnosed and held against its ``expect``."""

from diagnose.check.add import write_label
from diagnose.check.case import Case, CaseFault, Outcome, find_cases, run_case
from diagnose.check.figures import FIELDS, Figures, count_figures
from diagnose.check.reports import github_check, json_check, junit_check, text_check

__all__ = [
    "FIELDS",
    "Case",
    "CaseFault",
    "Figures",
    "Outcome",
    "count_figures",
    "find_cases",
    "github_check",
    "json_check",
    "junit_check",
    "run_case",
    "text_check",
    "write_label",
]
