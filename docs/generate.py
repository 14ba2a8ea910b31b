"""Writes what is derived from the code: the JSON Schema of the answer, the golden answers, the picture in the README.

python docs/generate.py schema     docs/diagnosis-v1.schema.json, docs/signature-v1.schema.json
python docs/generate.py golden     tests/golden/*.json from five fixtures; read the difference before you commit it
python docs/generate.py picture    docs/report.svg from a real run
python docs/generate.py accuracy   docs/accuracy.md: how many fields of the fixtures are right
python docs/generate.py signatures docs/signatures/*.md: a page for each category
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import msgspec

from diagnose import diagnose
from diagnose.report import json_schema, text_report
from diagnose.report.terminal import styled
from diagnose.signatures import Catalogue, load_catalogue
from diagnose.signatures.compiler import compile_rules
from diagnose.signatures.folders import shipped_rules
from diagnose.signatures.json_schema import rule_schema

ROOT = Path(__file__).resolve().parent.parent
PICTURE_OF = "fixtures/soft/011-deepspeed-config-path-missing-on-node2.log"
GOLDEN = (
    "fixtures/slurm/018-rank7-thread-oom-then-nccl-timeouts-134.log",
    "fixtures/slurm/014-numactl-invalid-rank0-then-time-limit.log",
    "fixtures/real/022-monitored.log",
    "fixtures/real/102-nodefail-head.log",
    "fixtures/real/106-ok-srun.log",
)


def schemas() -> dict[Path, str]:
    """The JSON Schema files by their paths."""
    return {
        ROOT / "docs/diagnosis-v1.schema.json": json.dumps(json_schema(), indent=2) + "\n",
        ROOT / "docs/signature-v1.schema.json": json.dumps(rule_schema(), indent=2) + "\n",
    }


def golden_answer(log: str) -> str:
    """The answer for a fixture without what changes from machine to machine (seconds, versions, rules, engine)."""
    found = diagnose(ROOT / log, catalogue=load_catalogue())
    value = msgspec.to_builtins(found)
    value["tool"] = {"version": "", "rules": 0}
    value["stats"] |= {"seconds": 0, "signatures": 0, "engine": ""}
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return text.replace(str(ROOT) + "/", "")


def golden_path(log: str) -> Path:
    """Where the golden answer of a fixture lies."""
    return ROOT / "tests/golden" / (Path(log).stem + ".json")


def picture() -> str:
    """The report of a real run as SVG."""
    from rich.console import Console

    console = Console(record=True, width=96, file=io.StringIO(), highlight=False)
    console.print(f"[bold]$[/bold] slurm-doctor {PICTURE_OF}", highlight=False)
    found = diagnose(PICTURE_OF, catalogue=load_catalogue())
    for part in text_report(found, 94):
        console.print(styled(part), no_wrap=False)
    return console.export_svg(title="slurm-doctor")


def accuracy() -> str:
    """The figures over the fixtures, as a Markdown page."""
    from diagnose.check import FIELDS, count_figures, find_cases, run_case

    catalogue = load_catalogue()
    outcomes = [run_case(case, catalogue) for case in find_cases([ROOT / "fixtures"])]
    folders = {outcome.case.log.parent.name for outcome in outcomes}
    heads = ["folder", "logs", *FIELDS, "claims without proof", "of the confirmed right", "every field right"]
    rows = [heads, ["---"] * len(heads)]
    for folder in [*sorted(folders), "all"]:
        figures = count_figures(one for one in outcomes if folder in ("all", one.case.log.parent.name))
        pairs = [(figures.right[name], figures.of[name]) for name in FIELDS]
        pairs += [(figures.false_claims, figures.unstated), (figures.confirmed_right, figures.confirmed)]
        cells = [f"{right}/{of}" for right, of in [*pairs, (figures.whole, figures.cases)]]
        rows.append([folder, str(figures.cases), *cells])
    return ACCURACY_HEAD + "".join("| " + " | ".join(row) + " |\n" for row in rows)


ACCURACY_HEAD = """# Accuracy

How the tool does on the labelled logs in `fixtures/` (`make accuracy` writes this page, a test keeps it current;
`slurm-doctor check -v fixtures` shows each miss). The rules were written with these logs at hand, so expect less on logs
that nobody has seen yet: that is why every answer says how sure it is. fixtures/FORMAT.md says how a field is scored.

"""


def signatures() -> dict[Path, str]:
    """The pages of the signatures by their paths; of the shipped rules alone, whatever a site adds."""
    sys.path.insert(0, str(ROOT / "docs"))
    from signature_pages import signature_pages

    catalogue = Catalogue(compile_rules([shipped_rules()]))
    return {ROOT / "docs/signatures" / name: text for name, text in signature_pages(catalogue).items()}


def main(what: str) -> None:
    if what == "schema":
        for path, text in schemas().items():
            path.write_text(text)
    elif what == "golden":
        for log in GOLDEN:
            golden_path(log).parent.mkdir(exist_ok=True)
            golden_path(log).write_text(golden_answer(log))
    elif what == "accuracy":
        (ROOT / "docs/accuracy.md").write_text(accuracy())
    elif what == "signatures":
        (ROOT / "docs/signatures").mkdir(exist_ok=True)
        for old in set((ROOT / "docs/signatures").glob("*.md")) - set(signatures()):
            old.unlink()
        for path, text in signatures().items():
            path.write_text(text)
    elif what == "picture":
        (ROOT / "docs/report.svg").write_text(picture())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
