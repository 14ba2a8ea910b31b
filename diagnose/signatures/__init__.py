"""rules/*.yaml in, signatures out: the YAML reader, the schema with exact errors, tables and the compiled catalogue."""

from diagnose.signatures.catalogue import (
    Catalogue,
    Literal,
    Marker,
    literals_of,
    load_catalogue,
)
from diagnose.signatures.patterns import compiled, search
from diagnose.signatures.tables import Row, Tables
from diagnose.signatures.yaml_text import Fault

__all__ = [
    "Catalogue",
    "Fault",
    "Literal",
    "Marker",
    "Row",
    "Tables",
    "compiled",
    "literals_of",
    "load_catalogue",
    "search",
]
