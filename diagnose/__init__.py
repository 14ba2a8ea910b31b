"""slurm-doctor as a library: ``diagnose("job_12345.log")`` says what failed first, where, why, and what to do.

The names are imported when they are asked for: the command must not load everything before it can be interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from diagnose.diagnosis import Options, diagnose, diagnose_together
    from diagnose.logs import Unreadable
    from diagnose.model import Diagnosis

__all__ = ["Diagnosis", "Options", "Unreadable", "diagnose", "diagnose_together"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from diagnose import diagnosis, logs, model

    home = {"Diagnosis": model, "Unreadable": logs}.get(name, diagnosis)
    return getattr(home, name)
