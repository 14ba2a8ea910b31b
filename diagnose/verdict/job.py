"""The job as the log shows it: its id, nodes, ranks, launcher, last step and checkpoint."""

from __future__ import annotations

from diagnose.events import Facts
from diagnose.model import Job
from diagnose.verdict.progress import step_number
from diagnose.verdict.survival import Survival
from diagnose.verdict.topology import Topology


def describe_job(facts: Facts, topology: Topology, survival: Survival) -> Job:
    """Only what the log states; everything else is null."""
    stamps = [line.clock.iso for line in facts.text.lines if line.clock and line.clock.iso]
    steps = [step for _, mark in survival.steps if (step := step_number(mark)) is not None]
    checkpoints = [
        mark.captures.get("path") or mark.captures.get("step")
        for mark in facts.of_kind("checkpoints")
        if mark.marker.row.get("state") != "begun"
    ]
    return Job(
        id=_job_id(facts),
        nodes=topology.nodes,
        ranks=topology.world or (max(topology.ranks) + 1 if topology.ranks else None),
        launcher=topology.launcher,
        started=stamps[0] if stamps else None,
        ended=stamps[-1] if stamps else None,
        last_step=steps[-1] if steps else None,
        last_checkpoint=checkpoints[-1] if checkpoints else None,
    )


def _job_id(facts: Facts) -> str | None:
    for event in facts.events:
        for name in ("job", "job_id", "step"):
            value = event.captures.get(name, "")
            if event.signature.id.startswith(("slurm", "srun")) and value.split(".")[0].isdigit():
                return value.split(".")[0]
    return None
