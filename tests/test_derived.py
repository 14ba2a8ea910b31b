"""What is generated from the code is current: schemas and golden answers."""

from __future__ import annotations

import importlib.util
import json
import sys

import jsonschema
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
_spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
assert _spec is not None
assert _spec.loader is not None
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


def test_the_schema_files_are_current() -> None:
    for path, text in generate.schemas().items():
        assert path.read_text() == text, f"{path} is stale: make schema"


def test_the_page_of_figures_is_current() -> None:
    assert (ROOT / "docs/accuracy.md").read_text() == generate.accuracy(), "stale: make accuracy"


def test_the_pages_of_signatures_are_current() -> None:
    pages = generate.signatures()
    assert set(pages) == set((ROOT / "docs/signatures").glob("*.md")), "stale: make signatures"
    for path, text in pages.items():
        assert path.read_text() == text, f"{path} is stale: make signatures"


def test_log_text_is_no_markup_on_a_page() -> None:
    from signature_pages import _block, _prose

    assert _prose("a *b* _c_ [d](e) <f> & `g` | # h") == (r"a \*b\* \_c\_ \[d\](e) &lt;f> &amp; \`g\` \| # h")
    assert _prose("# 1") == r"\# 1"
    assert _block("```\x1b[0m") == "````text\n```\ufffd[0m\n````\n"


@pytest.mark.parametrize("log", generate.GOLDEN)
def test_golden_answers(log: str) -> None:
    expected = generate.golden_path(log).read_text()
    assert generate.golden_answer(log) == expected, "changed: make golden, and read the difference before you commit it"


@pytest.mark.parametrize("log", generate.GOLDEN)
def test_golden_answers_are_valid(log: str) -> None:
    schema = json.loads((ROOT / "docs/diagnosis-v1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(generate.golden_path(log).read_text()))
