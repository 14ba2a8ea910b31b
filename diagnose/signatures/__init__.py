"""rules/*.yaml in, signatures out: the YAML reader, the schema with exact errors, tables and the compiled catalogue."""

from diagnose.signatures.catalogue import Catalogue, load_catalogue
from diagnose.signatures.compiled import Literal, Marker
from diagnose.signatures.faults import Fault
from diagnose.signatures.patterns import compiled, search
from diagnose.signatures.tables import Row, Tables

__all__ = [
    "Catalogue",
    "Fault",
    "Literal",
    "Marker",
    "Row",
    "Tables",
    "compiled",
    "load_catalogue",
    "search",
]
