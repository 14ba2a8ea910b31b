"""Windows of bytes in, facts out: who, when and what, for every line that says something."""

from diagnose.events.clock import Clock
from diagnose.events.facts import Collective, Death, Dump, Event, Facts, template
from diagnose.events.labels import Label
from diagnose.events.lines import Line, read_lines
from diagnose.events.numbers import COUNT_DIGITS, whole_number
from diagnose.events.read import read_facts
from diagnose.events.recognise import CUT_OFF, FALLBACK, Mark
from diagnose.events.understand import recognise_samples

__all__ = [
    "COUNT_DIGITS",
    "CUT_OFF",
    "FALLBACK",
    "Clock",
    "Collective",
    "Death",
    "Dump",
    "Event",
    "Facts",
    "Label",
    "Line",
    "Mark",
    "read_facts",
    "read_lines",
    "recognise_samples",
    "template",
    "whole_number",
]
