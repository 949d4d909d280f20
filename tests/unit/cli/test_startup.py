"""What a short command imports: the law of fast starts, by counts and not by a clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Runs a piece of code, then prints what it imported and how often it searched for entry points.
CHILD = """
import importlib.metadata, json, sys
searches = []
search = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **options: searches.append(options) or search(**options)
try:
    {code}
except SystemExit:
    pass
own = [name for name in sys.modules if name.split(".")[0] == "misword"]
libraries = [name for name in ("numpy", "polars", "rich") if name in sys.modules]
print(json.dumps([len(own), libraries, len(searches), own]), file=sys.stderr)
"""
COMMAND = "from misword.cli.main import main; main({arguments!r})"
IN_MEMORY = "import misword; misword.score(['a b c', 'd'] * 30, ['a b x', 'd'] * 30).summary()"


def started(code: str) -> tuple[int, list[str], int, list[str]]:
    """Return the number of misword's modules, libraries, searches for entry points, and modules."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(code=code)], capture_output=True, text=True, check=True
    )
    count, libraries, searches, own = json.loads(done.stderr.splitlines()[-1])
    return count, libraries, searches, own


def command(*arguments: str) -> str:
    return COMMAND.format(arguments=list(arguments))


@pytest.mark.parametrize(
    ("code", "most", "libraries"),
    [
        (command("--help"), 20, set()),
        (command("score", "--help"), 45, set()),
        (command("compare", "--help"), 50, set()),
        (command("parts", "--format", "json"), 50, set()),
        (command("parts"), 50, {"rich"}),
        ("import misword; misword.wer('a b', 'a c')", 20, set()),
        ("import misword; misword.cer(['a b'], ['a c'])", 20, set()),
        (IN_MEMORY, 90, {"numpy", "polars"}),
    ],
)
def test_few_modules_are_imported(code: str, most: int, libraries: set[str]) -> None:
    count, loaded, searches, own = started(code)
    assert set(loaded) == libraries
    assert count <= most, own
    assert searches <= 1


def test_a_score_of_files_imports_few_modules(tmp_path: Path) -> None:
    """The formats of transcripts are modules of their own, which guess the format of a file."""
    for name, last in (("ref.txt", "mat"), ("hyp.txt", "hat")):
        (tmp_path / name).write_text(f"the cat sat on the {last}\n" * 60, "utf-8")
    code = command("score", str(tmp_path / "ref.txt"), str(tmp_path / "hyp.txt"))
    count, loaded, searches, own = started(code)
    assert loaded == ["numpy", "polars", "rich"]
    assert count <= 120, own
    assert searches <= 1


def test_all_registries_share_one_search_for_entry_points() -> None:
    code = (
        "from misword.cli.commands.files.parts import REGISTRIES, registry; "
        "[registry(kind).names() for kind in REGISTRIES]"
    )
    assert started(code)[2] == 1


def test_the_list_of_parts_has_those_of_other_packages(tmp_path: Path) -> None:
    info = tmp_path / "more_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: more-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[misword.metrics]\nzzz = more_parts:Extra\n")
    (tmp_path / "more_parts.py").write_text(
        "import dataclasses\nfrom misword.asr.metrics.edit_rate import WordRate\n"
        "@dataclasses.dataclass(frozen=True)\nclass Extra(WordRate):\n"
        '    """A rate of another package."""\n'
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
        "from misword.cli.commands.files.parts import listed_parts; "
        "rows = list(listed_parts()); "
        "assert [row['what it does'] for row in rows if row['name'] == 'zzz'] "
        "== ['A rate of another package.'], rows"
    )
    started(code)
