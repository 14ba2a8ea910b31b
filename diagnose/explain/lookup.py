"""A word -> its readings. ``xid 79`` asks one table; ``9`` is an exit code, a signal, an errno, an Xid and more: all are told."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from diagnose.explain.exits import exit_readings, signal_readings
from diagnose.explain.reading import Reading, Step, look_further, reading_of_row
from diagnose.explain.signature_page import signature_page
from diagnose.explain.spelling import folded, tidied
from diagnose.signatures import Catalogue

MOST_SPEAKERS = 5

Lookup = Callable[[str, Catalogue], list[Reading]]

_STATES = ["https://slurm.schedmd.com/job_state_codes.html"]
_REASONS = ["https://slurm.schedmd.com/job_reason_codes.html"]
_ERRNO = ["https://man7.org/linux/man-pages/man3/errno.3.html"]


def find_readings(phrase: str, catalogue: Catalogue) -> list[Reading]:
    """Every meaning of a phrase, that of an exit code before other numbers; none where nothing is known."""
    text = tidied(phrase)
    for words in sorted(_KINDS, key=len, reverse=True):
        if text.lower().startswith(words + " "):
            readings = _KINDS[words](text[len(words) :].strip(), catalogue)
            if readings:
                return readings
    if text.startswith("-"):
        return exit_readings(text, catalogue)
    return [reading for lookup in _ORDER for reading in lookup(text, catalogue)]


def _signature(text: str, catalogue: Catalogue) -> list[Reading]:
    name = text.lower()
    return [signature_page(name, catalogue).reading] if name in catalogue.signatures else []


def _category(text: str, catalogue: Catalogue) -> list[Reading]:
    found = []
    for slug, row in catalogue.tables.categories.items():
        if text.lower() == slug or folded(text) == folded(row["title"]):
            steps = look_further(slug)
            if steps:
                steps = [Step("Let the log say which of them it is.", "slurm-doctor LOG"), *steps]
            found.append(
                Reading(
                    what=f"category {slug}", title=row["title"], category=slug, category_title=row["title"],
                    meaning=row["meaning"], fix=steps, action=row["action"],
                )
            )  # fmt: skip
    return found


def _state(text: str, catalogue: Catalogue) -> list[Reading]:
    word = folded(text.split(" by ")[0].rstrip("+"))
    return [
        reading_of_row(f"Slurm state {name}", row, catalogue, _STATES)
        for name, row in catalogue.tables.by_file["slurm_states.yaml"].items()
        if word in (folded(name), folded(row["short"]))
    ]


def _reason(text: str, catalogue: Catalogue) -> list[Reading]:
    word = folded(text.split(",")[0])
    return [
        reading_of_row(f"Slurm reason {name} (job {row['when']})", row, catalogue, _REASONS)
        for name, row in catalogue.tables.by_file["slurm_reasons.yaml"].items()
        if word == folded(name)
    ]


def _nccl(text: str, catalogue: Catalogue) -> list[Reading]:
    word = folded(text).removeprefix("nccl")
    table = catalogue.tables.by_file["nccl_results.yaml"]
    return [
        reading_of_row(f"NCCL result {row['number']} ({row['name']})", row, catalogue, _sources("nccl-error", catalogue))
        for words, row in table.items()
        if word in (folded(words), row["name"].lower().removeprefix("nccl"), row["number"])
    ]  # fmt: skip


def _plain_nccl(text: str, catalogue: Catalogue) -> list[Reading]:
    """An NCCL result by its name only: a bare number hardly ever is one."""
    return [] if text.isdigit() else _nccl(text, catalogue)


def _errno(text: str, catalogue: Catalogue) -> list[Reading]:
    word = folded(text).lstrip("-")
    return [
        _with_speakers(
            reading_of_row(f"errno {number} ({row['name']})", row, catalogue, _ERRNO), row["title"], catalogue
        )
        for number, row in catalogue.tables.by_file["errno.yaml"].items()
        if word in (number, row["name"].lower(), folded(row["title"]))
    ]


def _with_speakers(reading: Reading, message: str, catalogue: Catalogue) -> Reading:
    """An error number tells little; the signatures whose patterns hold its message say more."""
    ids = [
        signature.id
        for signature in catalogue.signatures.values()
        if signature.role in ("cause", "symptom") and any(message in pattern for pattern in signature.match)
    ]
    if not ids:
        return reading
    refined = [general for signature in catalogue.signatures.values() for general in signature.refines]
    ids.sort(key=lambda name: -refined.count(name))
    text = f"Look where the message comes from. Signatures that know it: {', '.join(ids[:MOST_SPEAKERS])}."
    return msgspec.structs.replace(reading, fix=[Step(text, f"slurm-doctor explain {ids[0]}"), *reading.fix])


def _coded(file: str, name: str, signature: str) -> Lookup:
    """A table whose keys are the numbers that a signature captures as ``code``."""

    def lookup(text: str, catalogue: Catalogue) -> list[Reading]:
        row = catalogue.tables.row(file, text) if text.isdecimal() else None
        if row is None:
            return []
        code = str(int(text))
        return [reading_of_row(f"{name} {code}", row, catalogue, _sources(signature, catalogue), {"code": code})]

    return lookup


def _sources(signature: str, catalogue: Catalogue) -> list[str]:
    return list(catalogue[signature].references) if signature in catalogue.signatures else []


_XID = _coded("xid.yaml", "Xid", "nvrm-xid")
_SXID = _coded("sxid.yaml", "SXid", "nvrm-sxid")
_IB = _coded("ib_status.yaml", "InfiniBand completion status", "ib-completion-error")

_ORDER: tuple[Lookup, ...] = (
    _signature, _category, exit_readings, signal_readings, _state, _reason, _plain_nccl, _errno, _XID, _SXID, _IB
)  # fmt: skip

_KINDS: dict[str, Lookup] = {
    "signature": _signature,
    "category": _category,
    **dict.fromkeys(("exit code", "exit status", "exitcode", "exit", "rc"), exit_readings),
    "signal": signal_readings,
    **dict.fromkeys(("slurm state", "state"), _state),
    **dict.fromkeys(("slurm reason", "reason"), _reason),
    **dict.fromkeys(("nccl", "nccl result", "rccl"), _nccl),
    "errno": _errno,
    "xid": _XID,
    "sxid": _SXID,
    **dict.fromkeys(("ib", "ib status", "infiniband", "infiniband completion status", "wc status"), _IB),
}
"""What may stand in front of a word to say which table is meant."""
