"""`slurm-doctor completion SHELL`: what makes a shell complete commands, options, signature ids and categories."""

from __future__ import annotations

import click

VARIABLE = "_SLURM_DOCTOR_COMPLETE"
"""click asks this variable (the program's name in capitals) whether a shell wants completions."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash   slurm-doctor completion bash > ~/.local/share/bash-completion/completions/slurm-doctor
    zsh    slurm-doctor completion zsh > "${fpath[1]}/_slurm-doctor"
    fish   slurm-doctor completion fish > ~/.config/fish/completions/slurm-doctor.fish

    The next shell that is started completes commands, options, signature ids and categories.
    """
    from click.shell_completion import get_completion_class

    from diagnose.cli.main import PROGRAM, doctor

    kind = get_completion_class(shell)
    assert kind is not None
    text = kind.source_template % kind(doctor, {}, PROGRAM, VARIABLE).source_vars()
    click.echo(text.strip())
