"""The fixture `misword_gate` in tests of other projects.

They run in processes of their own: in this one, pytester would unload the modules of misword that
its run loads, also where other tests have them already.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
# An installation that is older than the entry point does not load the plugin itself.
LOADED = any(entry.value == "misword.pytest_plugin" for entry in entry_points(group="pytest11"))
PLUGIN = (*([] if LOADED else ["-p", "misword.pytest_plugin"]), "-p", "no:cacheprovider")
TESTS = """
REFERENCES = ["the cat sat", "so we go", "two by two"]

def test_good(misword_gate):
    found = misword_gate(REFERENCES, ["the cat sat", "so we go", "two by too"], max={"wer": 0.2})
    assert found.conditions[0].rate == 1 / 9

def test_bad(misword_gate):
    misword_gate(REFERENCES, ["a dog", "so", "two"], max={"wer": 0.2})

def test_files(misword_gate, tmp_path):
    (tmp_path / "ref.csv").write_text("id,words\\na,the cat\\nb,so we go\\n")
    (tmp_path / "new.csv").write_text("id,words\\nb,SO WE GO\\na,the cat\\n")
    reading = {"id_column": "id", "reference_column": "words", "hypothesis_column": "words"}
    misword_gate(tmp_path / "ref.csv", str(tmp_path / "new.csv"), max={"wer": 0}, normalize="lower",
                 **reading)

def test_no_worse(misword_gate):
    misword_gate(REFERENCES, REFERENCES, ["the", "so", "by"], no_worse="wer", margin=0.01)

def test_mixed(misword_gate):
    misword_gate(REFERENCES, "new.csv", max={"wer": 0})
"""


def test_a_failed_condition_fails_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    found = pytester.runpytest_subprocess(*PLUGIN, "--junit-xml=junit.xml")
    found.assert_outcomes(passed=3, failed=2)
    found.stdout.fnmatch_lines(["*gate failed: wer 77.78 %*limit 20.00 %: failed*"])
    found.stdout.fnmatch_lines(["*TypeError: give files for all sides, or lists of texts for all*"])
    xml = (pytester.path / "junit.xml").read_text("utf-8")
    assert 'name="misword" value="gate failed: wer 77.78 %' in xml


def test_the_plugin_is_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"misword": "misword.pytest_plugin"}


def test_loading_the_plugin_imports_nothing_heavy() -> None:
    code = "import sys, misword.pytest_plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "polars", "rich"}
    own = {name for name in loaded if name.startswith("misword")}
    assert len(own) < 12, own


def test_the_example_of_the_documentation(pytester: pytest.Pytester) -> None:
    from doc_blocks import code_blocks
    from misword.cli.main import main

    page = (ROOT / "docs" / "gate.md").read_text("utf-8").partition("## In pytest")[2]
    (example,) = code_blocks(page.partition("\n## ")[0], "python")
    main(["demo", "--copy", str(pytester.path / "demo")])
    pytester.makepyfile(example)
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=1)
