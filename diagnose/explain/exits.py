"""Exit codes as people meet them -> readings: ``137``, ``9:0`` (sacct), ``0:9`` (code:signal), ``-11``, ``srun:2``."""

from __future__ import annotations

import re

from diagnose.explain.reading import Reading, reading_of_row
from diagnose.explain.spelling import folded
from diagnose.signatures import Catalogue, Row

EXIT_CODES = "exit_codes.yaml"
REFERENCES = ["https://slurm.schedmd.com/job_exit_code.html", "https://tldp.org/LDP/abs/html/exitcodes.html"]
SIGNAL_REFERENCES = ["https://man7.org/linux/man-pages/man7/signal.7.html"]
SIGNALS_FROM, HIGHEST = 128, 255


def exit_readings(text: str, catalogue: Catalogue) -> list[Reading]:
    """What an exit code means in general and, where that differs, as a certain launcher or Slurm reports it."""
    if re.fullmatch(r"\d{1,3}:\d{1,3}", text):
        return _of_slurm(text, catalogue)
    if re.fullmatch(r"[a-z]+:-?\d{1,3}(?::\d{1,3})?", text.lower()):
        row = catalogue.tables.row(EXIT_CODES, text.lower())
        reporter, _, code = text.lower().partition(":")
        return [_reading(f"exit code {code} as {reporter} reports it", row, catalogue)] if row else []
    if not re.fullmatch(r"-?\d{1,3}", text) or not -64 <= int(text) <= HIGHEST:
        return []
    code = str(int(text))
    found = [_reading(f"exit code {code}", _general_row(int(code), catalogue), catalogue)]
    for key, row in catalogue.tables.by_file[EXIT_CODES].items():
        reporter, _, number = key.partition(":")
        if number == code:
            other = _reading(f"exit code {code} as {reporter} reports it", row, catalogue)
            if all((other.title, other.why) != (one.title, one.why) for one in found):
                found.append(other)
    return found


def _general_row(code: int, catalogue: Catalogue) -> Row:
    table = catalogue.tables.by_file[EXIT_CODES]
    if str(code) in table:
        return table[str(code)]
    number = -code if code < 0 else code - SIGNALS_FROM
    for name, signal in catalogue.tables.by_file["signals.yaml"].items():
        if signal["number"] == str(number):
            shown = f"{code} is 128 + {number}" if code > 0 else f"{code} is a signal as a negative number"
            return {**table["other"], **signal, "meaning": f"{shown}: ended by {name}. {signal['meaning']}"}
    return table["other"]


def _of_slurm(text: str, catalogue: Catalogue) -> list[Reading]:
    """``code:signal``, as sacct and scontrol show it."""
    code, _, signal = text.partition(":")
    text = f"{int(code)}:{int(signal)}"
    rows = [row for tool in ("sacct", "scontrol") if (row := catalogue.tables.row(EXIT_CODES, f"{tool}:{text}"))]
    what = f"Slurm's ExitCode {text} (code:signal)"
    if rows:
        return [_reading(what, rows[0], catalogue)]
    if int(code) > HIGHEST or int(signal) > HIGHEST:
        return []
    row = _general_row(SIGNALS_FROM + int(signal) if int(signal) else int(code), catalogue)
    return [_reading(what, row, catalogue)]


def signal_readings(text: str, catalogue: Catalogue) -> list[Reading]:
    """A signal by its name (``SIGKILL``, ``kill``), its number or the words that shells print for it."""
    word = folded(text)
    found = []
    for name, row in catalogue.tables.by_file["signals.yaml"].items():
        if word in (folded(name), folded(name[3:]), folded(row["words"]), row["number"]):
            ending = _general_row(int(row["exit_code"]), catalogue)
            told = {**ending, **row, "why": ending.get("why")}
            told["meaning"] = f"{row['meaning']} Shells show it as exit code {row['exit_code']}."
            found.append(reading_of_row(f"signal {row['number']}", told, catalogue, SIGNAL_REFERENCES))
    return found


def _reading(what: str, row: Row, catalogue: Catalogue) -> Reading:
    return reading_of_row(what, row, catalogue, REFERENCES)
