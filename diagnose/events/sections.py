"""Parts of a file that belong to one process: what a launcher or ``tail`` copied from the files of several.

----------Begin global rank 3 STDERR----------        composer, until the line that says End
==> logs/rank_3.log <==                               tail and head with several files, until the next such line
"""

from __future__ import annotations

import re

from diagnose.events.numbers import whole_number
from diagnose.logs import Writer, read_writer

_BORDER = re.compile(
    rb"\s*(?:==> (?P<file>[^<>\n]{1,300}) <==|-{4,}(?P<side>Begin|End) global rank (?P<rank>\d+) STD(?:OUT|ERR)-{4,})\s*"
)


def read_border(line: bytes) -> Writer | None:
    """Who wrote the lines below a border; ``Writer()`` where a part ends, None where the line is no border."""
    if not line.lstrip().startswith((b"==> ", b"----")):
        return None
    found = _BORDER.fullmatch(line)
    if found is None:
        return None
    if found.group("file"):
        return read_writer(found.group("file").decode("utf-8", "replace"))
    return Writer(rank=whole_number(found.group("rank"))) if found.group("side") == b"Begin" else Writer()
