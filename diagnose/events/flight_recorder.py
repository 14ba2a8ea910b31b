"""PyTorch's Flight Recorder dumps -> how far each rank came in each process group.

    {"version": "2.5", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
     "pg_status": {"0": {"last_enqueued_collective": 2, "last_started_collective": -1, "last_completed_collective": 2}},
     "entries": [{"pg_id": 0, "collective_seq_id": 2, "profiling_name": "nccl:all_reduce", "input_sizes": [[3]], ...}]}

Files ``nccl_trace_rank_<rank>``, pickled or JSON (docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html). A
pickle can run code when it is read, so only plain containers, strings and numbers are allowed here.
"""

from __future__ import annotations

import io
import json
import pickle
from typing import Any

from diagnose.events.facts import Dump

DEFAULT_GROUP = "0"


class UnreadableDump(ValueError):
    """The file is no Flight Recorder dump, or asks for more than plain data."""


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise UnreadableDump(f"the pickle asks for {module}.{name}; a dump holds plain data only")


def read_dump(data: bytes, rank: int) -> Dump:
    """Read the dump of one rank. Raises ``UnreadableDump`` with the reason."""
    try:
        value = json.loads(data) if data.lstrip()[:1] == b"{" else _PlainUnpickler(io.BytesIO(data)).load()
    except UnreadableDump:
        raise
    except Exception as error:
        raise UnreadableDump(f"neither a pickle nor JSON: {error}") from None
    try:
        return _dump(value, rank)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableDump(f"not in the form of a Flight Recorder dump: {error!r}") from None


def _dump(value: Any, rank: int) -> Dump:
    config = value["pg_config"].get(DEFAULT_GROUP) or next(iter(value["pg_config"].values()))
    status = value["pg_status"].get(DEFAULT_GROUP) or next(iter(value["pg_status"].values()))
    operations = {
        int(entry["collective_seq_id"]): (str(entry.get("profiling_name", "")), str(entry.get("input_sizes", "")))
        for entry in value.get("entries", [])
        if str(entry.get("pg_id", DEFAULT_GROUP)) == DEFAULT_GROUP and not entry.get("is_p2p")
    }
    members = tuple(int(member) for member in json.loads(config["ranks"]))
    return Dump(
        rank, members, int(status["last_enqueued_collective"]), int(status["last_completed_collective"]), operations
    )
