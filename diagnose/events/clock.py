"""Clocks: the time that a line states, and in which form. Times of different forms are not compared blindly.

Forms: ISO 8601 with ``T``, a space or ``_`` (Python logging, Slurm, torchelastic), glog (``E1118 22:26:03.467156``,
month*100+day, no year), syslog (``Jun 10 03:09:55``), ctime (``Mon Oct 29 12:07:39 2018``), dmesg seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

_MONTHS = {name: number for number, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
_CLOCK = re.compile(
    rb"(?P<iso>(?P<y>\d{4})[-/](?P<mo>\d\d)[-/](?P<d>\d\d)[T _-](?P<h>\d\d):(?P<mi>\d\d):(?P<s>\d\d)(?P<f>[.,:]\d{1,9})?"
    rb" ?(?P<z>Z|[+-]\d\d:?\d\d(?=\W))?)"
    rb"|(?P<glog>[IWEF](?P<gm>\d{1,2})(?P<gd>\d\d) (?P<gh>\d\d):(?P<gmi>\d\d):(?P<gs>\d\d)(?P<gf>\.\d{1,9}))"
    rb"|(?P<ctime>[A-Z][a-z]{2} (?P<cm>[A-Z][a-z]{2}) +(?P<cd>\d{1,2}) (?P<ch>\d\d):(?P<cmi>\d\d):(?P<cs>\d\d) (?P<cy>\d{4}))"
    rb"|(?P<syslog>(?P<sm>[A-Z][a-z]{2}) +(?P<sd>\d{1,2}) (?P<sh>\d\d):(?P<smi>\d\d):(?P<ss>\d\d)(?!\d))"
    rb"|(?P<dmesg>\[ *(?P<ds>\d+\.\d{6})\])"
)
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time as a line states it.

    ``seconds`` order times of one form; ``of_year`` are seconds since New Year on the same wall clock, which also
    compare with forms that print no year (None for dmesg); ``iso`` is text where the date is known.
    """

    form: str
    seconds: float
    of_year: float | None
    iso: str | None


def read_clock(body: bytes, within: int = 160) -> Clock | None:
    """The first time in the first ``within`` bytes, or None."""
    found = _CLOCK.search(body, 0, within)
    if found is None:
        return None
    try:
        return _clock(found)
    except (ValueError, KeyError, OverflowError):
        return None


def _clock(found: re.Match[bytes]) -> Clock:
    group = found.groupdict()
    if group["iso"]:
        at = datetime(*(int(group[name]) for name in ("y", "mo", "d", "h", "mi", "s")))  # type: ignore[arg-type]
        seconds = (at - _EPOCH).total_seconds() + _fraction(group["f"])
        text = at.isoformat()
        of_year = _of_year(at) + _fraction(group["f"])
        if group["z"]:
            zone = _zone(group["z"])
            text = at.replace(tzinfo=timezone(zone)).isoformat()
            return Clock("utc", seconds - zone.total_seconds(), of_year, text)
        return Clock("iso", seconds, of_year, text)
    if group["glog"]:
        at = _yearless(int(group["gm"]), group["gd"], group["gh"], group["gmi"], group["gs"])
        seconds = (at - _EPOCH).total_seconds() + _fraction(group["gf"])
        return Clock("glog", seconds, _of_year(at) + _fraction(group["gf"]), None)
    if group["ctime"]:
        day, hour, minute, second = (int(group[name]) for name in ("cd", "ch", "cmi", "cs"))
        at = datetime(int(group["cy"]), _MONTHS[group["cm"]], day, hour, minute, second)
        seconds = (at - _EPOCH).total_seconds()
        return Clock("ctime", seconds, _of_year(at), at.isoformat())
    if group["syslog"]:
        at = _yearless(_MONTHS[group["sm"]], group["sd"], group["sh"], group["smi"], group["ss"])
        seconds = (at - _EPOCH).total_seconds()
        return Clock("syslog", seconds, _of_year(at), None)
    return Clock("dmesg", float(group["ds"]), None, None)


def _yearless(month: int, *rest: bytes) -> datetime:
    """A date without a year stands in 1972, a leap year: good for order, not for display."""
    day, hour, minute, second = (int(part) for part in rest)
    return datetime(1972, month, day, hour, minute, second)


def _of_year(at: datetime) -> float:
    """Seconds since New Year, with a 29th of February in every year, so that all years agree."""
    return (at.replace(year=1972) - datetime(1972, 1, 1)).total_seconds()


def _fraction(digits: bytes | None) -> float:
    return float(b"0." + digits[1:]) if digits else 0.0


def _zone(text: bytes) -> timedelta:
    if text == b"Z":
        return timedelta(0)
    digits = text[1:].replace(b":", b"")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return size if text[:1] == b"+" else -size
