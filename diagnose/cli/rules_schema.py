"""`slurm-doctor rules schema`: the JSON Schema of rule files."""

from __future__ import annotations

import click


@click.command("schema")
def rule_schema_command() -> None:
    """Print the JSON Schema of a rule file, for editors and for your own checks."""
    import json

    from diagnose.signatures.json_schema import rule_schema

    click.echo(json.dumps(rule_schema(), indent=2))
