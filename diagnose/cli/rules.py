"""`slurm-doctor rules`: look at the signatures, write and test them. Each command has a module of its own."""

from __future__ import annotations

import click

from diagnose.cli.rules_list import list_rules
from diagnose.cli.rules_new import new_rule
from diagnose.cli.rules_schema import rule_schema_command
from diagnose.cli.rules_show import show_rule
from diagnose.cli.rules_test import test_rules


@click.group()
def rules() -> None:
    """List, show, write and test the signatures."""


for _command in (list_rules, show_rule, new_rule, test_rules, rule_schema_command):
    rules.add_command(_command)
