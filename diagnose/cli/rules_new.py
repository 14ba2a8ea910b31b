"""`slurm-doctor rules new ID LINE`: begin a signature with a line of a log."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("new", context_settings={"ignore_unknown_options": True})
@click.argument("signature", metavar="ID")
@click.argument("line", required=False, metavar="[LOG LINE | -]")
@click.option(
    "--rules",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="DIR",
    help="The folder to write ID.yaml into; the current one by default.",
)
def new_rule(signature: str, line: str | None, rules: Path) -> None:
    """Write ID.yaml, the beginnings of a signature that knows a line of a log.

    Quote the line, or give - and paste it (or a traceback, whose last line counts) on standard input. Its text is
    escaped; numbers, paths, hosts and addresses become captures. What only you can say is marked FILL IN, and the
    rule is not used before it is said. A file that is there already is never overwritten.
    """
    import re

    from diagnose.signatures.json_schema import ID_PATTERN
    from diagnose.signatures.literals import NoLiteral, required_literals
    from diagnose.signatures.scaffold import PLACEHOLDER, pattern_of, scaffold

    if not re.fullmatch(ID_PATTERN, signature):
        raise click.UsageError(f"{signature!r}: an id is lower-case words joined by hyphens")
    log = PLACEHOLDER if line is None else _pasted(line)
    text = _decisive(log)
    try:
        required_literals(pattern_of(text))
    except NoLiteral as problem:
        raise click.UsageError(f"no pattern can be made of that line: {problem}") from None
    path = rules / f"{signature}.yaml"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(scaffold(signature, log, text))
    except FileExistsError:
        raise click.UsageError(f"{path}: is there already, left as it is") from None
    except OSError as problem:
        raise click.FileError(str(path), problem.strerror or str(problem)) from None
    _tell(path, signature, line is None)


def _pasted(line: str) -> str:
    """The text, from standard input where it is ``-``; bytes that are no UTF-8 are replaced."""
    import os

    raw = sys.stdin.buffer.read() if line == "-" else os.fsencode(line)
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")
    if not text.strip():
        raise click.UsageError("the line is empty")
    return text


def _decisive(log: str) -> str:
    """The last line that says something, as patterns see it: behind the launcher's prefix."""
    from diagnose.events import read_lines

    lines = [line for line in read_lines([(1, log.encode())]) if line.text.strip()]
    return lines[-1].text.decode("utf-8", "replace") if lines else log


def _tell(path: Path, signature: str, without_line: bool) -> None:
    from diagnose.signatures import load_catalogue
    from diagnose.verdict import visible

    catalogue = load_catalogue([path.parent])
    shown = f"{path.resolve().parent.name}/{path.name}"
    places = [fault for fault in catalogue.faults if fault.file == shown]
    click.echo(f"{visible(str(path))}: written. Now fill in:")
    for fault in places:
        click.echo(f"  line {fault.line}: {fault.key}")
    if without_line:
        click.echo("and replace the pattern and the example by those of a real line.")
    if signature in catalogue.signatures:
        click.echo(f"It will replace the signature {signature} that is there already.")
    click.echo(f"Then: slurm-doctor rules test --only {signature} {visible(str(path.parent))}")
