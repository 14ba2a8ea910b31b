"""A diagnosis or an explanation in, text out: for people, for programs; log text is data here, never markup and never a command."""

from diagnose.report.explanation import text_reading, text_readings, text_signature_page
from diagnose.report.json_report import json_report, json_schema
from diagnose.report.progress import ProgressBar, can_show_progress
from diagnose.report.terminal import Color, print_report, terminal_width
from diagnose.report.text import one_line, text_report

__all__ = [
    "Color",
    "ProgressBar",
    "can_show_progress",
    "json_report",
    "json_schema",
    "one_line",
    "print_report",
    "terminal_width",
    "text_reading",
    "text_readings",
    "text_report",
    "text_signature_page",
]
