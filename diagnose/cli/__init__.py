"""Arguments in, a report out: one module per command, nothing else."""
