"""A word and the catalogue in, readings out: what a signature, category, exit code, Xid, state … means and what to do."""

from diagnose.explain.lookup import find_readings
from diagnose.explain.near import near_names
from diagnose.explain.placeholders import generic
from diagnose.explain.reading import Reading, Step
from diagnose.explain.search import find_signatures
from diagnose.explain.signature_page import SignaturePage, signature_page

__all__ = [
    "Reading",
    "SignaturePage",
    "Step",
    "find_readings",
    "find_signatures",
    "generic",
    "near_names",
    "signature_page",
]
