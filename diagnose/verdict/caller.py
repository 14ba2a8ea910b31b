"""What the caller knows beside the log: the exit code of the job, as a job script's trap sees it."""

from __future__ import annotations

from msgspec.structs import replace

from diagnose.events.exits import normal_code
from diagnose.model import Diagnosis, Exit
from diagnose.signatures import Catalogue
from diagnose.verdict.advice import exit_row

REPORTER = "caller"


def with_exit_code(found: Diagnosis, code: int, catalogue: Catalogue) -> Diagnosis:
    """Add a non-zero exit code where the log states none; a job that left one has failed, whatever its log says."""
    number, signal = normal_code(str(code), None)
    row = exit_row(catalogue, number, REPORTER)
    if found.verdict == "failed":
        if found.exit.code is not None:
            return found
        return replace(found, exit=Exit(number, signal, row.get("meaning"), REPORTER))
    return replace(
        found,
        verdict="failed",
        category=row.get("category", "unknown"),
        title=f"The job ended with exit code {number}, and its log does not say why",
        confidence="weak",
        confidence_reasons=["only the exit code tells that the job failed", *found.confidence_reasons],
        why=row.get("why") or row.get("meaning") or "",
        exit=Exit(number, signal, row.get("meaning"), REPORTER),
        action="fix",
    )
