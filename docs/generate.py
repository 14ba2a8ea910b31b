"""Writes what is derived from the code: the JSON Schema of the answer, the golden answers, the picture in the README.

python docs/generate.py schema     docs/diagnosis-v1.schema.json, docs/signature-v1.schema.json
python docs/generate.py golden     tests/golden/*.json from five fixtures; read the difference before you commit it
python docs/generate.py picture    docs/report.svg from a real run
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import msgspec

from diagnose import diagnose
from diagnose.model import Signature
from diagnose.report import json_schema, text_report
from diagnose.report.terminal import styled
from diagnose.signatures import load_catalogue

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
        ROOT / "docs/signature-v1.schema.json": json.dumps(msgspec.json.schema(Signature), indent=2) + "\n",
    }


def golden_answer(log: str) -> str:
    """The answer for a fixture without what changes from run to run (seconds, versions, number of rules)."""
    found = diagnose(ROOT / log, catalogue=load_catalogue())
    value = msgspec.to_builtins(found)
    value["tool"] = {"version": "", "rules": 0}
    value["stats"] |= {"seconds": 0, "signatures": 0}
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


def main(what: str) -> None:
    if what == "schema":
        for path, text in schemas().items():
            path.write_text(text)
    elif what == "golden":
        for log in GOLDEN:
            golden_path(log).parent.mkdir(exist_ok=True)
            golden_path(log).write_text(golden_answer(log))
    elif what == "picture":
        (ROOT / "docs/report.svg").write_text(picture())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
