"""The pages in docs/signatures/: one for each category, with every signature of it, written from the rules.

Texts of rules and log lines are data: they are escaped, and stand in code blocks where they are quoted.
"""

from __future__ import annotations

import re

from diagnose.explain import Reading, SignaturePage, signature_page
from diagnose.signatures import Catalogue
from diagnose.verdict import visible

NOTE = "<!-- written by docs/generate.py signatures; edit the rules instead -->\n"
_ROLES = {
    "cause": "Causes",
    "symptom": "Symptoms: something else failed first",
    "exit": "Exit reports",
    "context": "Worth knowing",
    "benign": "Noise: looks like a failure and is none",
}


def signature_pages(catalogue: Catalogue) -> dict[str, str]:
    """Text by file name: README.md and a page for each category that has a signature."""
    by_category: dict[str, list[SignaturePage]] = {}
    for name in catalogue.signatures:
        page = signature_page(name, catalogue)
        by_category.setdefault(page.reading.category or "", []).append(page)
    pages = {}
    rows = []
    for slug, row in catalogue.tables.categories.items():
        if slug in by_category:
            pages[f"{slug}.md"] = _category(slug, row["title"], row["meaning"], by_category[slug])
            rows.append(f"| [{slug}]({slug}.md) | {_prose(row['meaning'])} | {len(by_category[slug])} |\n")
    head = "# Signatures\n\nThe failures that slurm-doctor knows, by category. `slurm-doctor rules show ID` prints one of them.\n\n"
    pages["README.md"] = NOTE + head + "| category | meaning | signatures |\n|---|---|---|\n" + "".join(rows)
    return pages


def _category(slug: str, title: str, meaning: str, pages: list[SignaturePage]) -> str:
    text = [NOTE, f"# {_prose(title)} (`{slug}`)\n\n{_prose(meaning)}\n"]
    for role, heading in _ROLES.items():
        chosen = [page for page in pages if page.reading.role == role]
        if chosen:
            text.append(f"\n## {heading}\n")
            text += [_signature(page) for page in chosen]
    return "".join(text)


def _signature(page: SignaturePage) -> str:
    reading = page.reading
    text = [f"\n### {page.id}\n\n**{_prose(reading.title)}**\n"]
    if reading.why:
        text.append(f"\n{_prose(reading.why)}\n")
    if reading.fix:
        text.append(f"\nWhat to do:\n\n{_steps(reading)}")
    if reading.next_time:
        text.append("\nNext time:\n\n" + "".join(f"- {_prose(line)}\n" for line in reading.next_time))
    text.append("\nPrinted as:\n\n" + _block("\n\n".join(page.examples)))
    if reading.references:
        text.append("\nReferences: " + ", ".join(f"<{url}>" for url in reading.references) + "\n")
    return "".join(text)


def _steps(reading: Reading) -> str:
    lines = []
    for number, step in enumerate(reading.fix, 1):
        when = f"If {step.when}: " if step.when else ""
        lines.append(f"{number}. {_prose(when + step.do)}\n")
        if step.run:
            lines.append("\n" + "".join(f"   {line}\n" for line in _block(step.run, "bash").splitlines()) + "\n")
    return "".join(lines).rstrip("\n") + "\n"


def _prose(text: str) -> str:
    """Text whose characters are no markup."""
    text = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", visible(text)).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"^([#>+-]|\d+[.)])(?=\s|$)", r"\\\1", text)


def _block(text: str, language: str = "text") -> str:
    """A code block whose fence is longer than any run of backquotes in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(visible(line) for line in text.split("\n"))
    return f"{fence}{language}\n{lines}\n{fence}\n"
