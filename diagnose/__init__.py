"""slurm-doctor as a library: ``diagnose("job_12345.log")`` says what failed first, where, why, and what to do."""

from diagnose.diagnosis import Options, diagnose, diagnose_together
from diagnose.logs import Unreadable
from diagnose.model import Diagnosis

__all__ = ["Diagnosis", "Options", "Unreadable", "diagnose", "diagnose_together"]
__version__ = "0.1.0"
