"""The documentation is executed: Python blocks, shell blocks, docstring examples, links."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path
from shutil import copytree
from typing import Any

import polars as pl
import pytest

import misword
from arpa import write_arpa
from audited import write_audited
from bilingual import write_lesson
from dictionary_files import write_gold_lesson
from doc_blocks import FENCE, code_blocks, commands, lines
from le2016 import write_files
from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS
from misword.cli.main import main
from shards_made import corpus, write_shards
from spaces_made import write_turned

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FIT = ROOT / "docs" / "fit.md"
CHOICES = [
    "reference\thypA\tvotesA\thypB\tvotesB",
    "the patient has no fever\tthe patient has a fever\t1\tthe patient has no fevers\t6",
    "call me at nine\tcall me at nine\t7\tcall me at five\t0",
    "we met in paris\twe met in parris\t5\twe met in palace\t2",
    "she bought two books\tshe bought to books\t4\tshe bought two box\t3",
    "turn left at the bank\tturn left at a bank\t7\tturn right at the bank\t0",
    "i can't hear you\ti cant hear you\t6\ti can hear you\t1",
    "a legal contract\tillegal contract\t0\tthe legal contract\t7",
    "see you at ten\tsee you at then\t3\tsee you at tent\t3",
]
LISTS = [
    '{"utt": "1", "rank": 1, "text": "the cat sat", "score": -2.1}',
    '{"utt": "1", "rank": 2, "text": "the cats at", "score": -2.4}',
]
# What a block's mark says: run and compared, run, checked, data of a test.
# Diffs are applied by test_three_small_changes.py.
LANGUAGES = {"console", "python", "yaml", "csv", "diff"}
CHANGED = "three-small-changes.md"  # its commands have an option that a diff adds
SLOW_PAGES = {"neural.md", "robust.md"}
MODULES = sorted(Path(misword.__file__).parent.rglob("*.py"))


def blocks(language: str) -> list[Any]:
    """Name of the page and text of each block in a language; those that load models are slow."""
    return [
        pytest.param(page.name, body, marks=[pytest.mark.slow] * (page.name in SLOW_PAGES))
        for page in PAGES
        for body in code_blocks(page.read_text("utf-8"), language)
    ]


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The choices of docs/fit.md, and the blend that is learnt from them."""
    folder = tmp_path_factory.mktemp("judged")
    choices, *_ = code_blocks(FIT.read_text("utf-8"), "csv")
    (folder / "mine.csv").write_text(choices, "utf-8")
    options = ["--metrics", "wer,cer,wil", "-o", str(folder / "mine.json"), "--bootstrap", "0"]
    assert main(["fit", str(folder / "mine.csv"), *options]) == 0
    return folder


@pytest.fixture
def desk(tmp_path: Path, judged: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the documentation uses."""
    main(["demo", "--copy", str(tmp_path / "demo")])
    (tmp_path / "ref.txt").write_text("the cat sat on the mat\nso { um / @ } we go\n", "utf-8")
    (tmp_path / "hyp.txt").write_text("the cat sad on mat\nso we go\n", "utf-8")
    (tmp_path / "same.txt").write_text("gonna / going to\n", "utf-8")
    write_slipped(tmp_path / "slipped", tmp_path / "demo" / "en")
    write_arpa(tmp_path / "small.arpa")
    (tmp_path / "lists.jsonl").write_text("".join(f"{line}\n" for line in LISTS), "utf-8")
    (tmp_path / "choices.tsv").write_text("".join(f"{line}\n" for line in CHOICES), "utf-8")
    copytree(judged, tmp_path, dirs_exist_ok=True)
    write_files(tmp_path / "le")
    write_lesson(tmp_path / "lexicon")
    write_turned(tmp_path / "map")
    write_gold_lesson(tmp_path / "dictionary")
    write_audited(tmp_path / "audit")
    texts = corpus(40).select("id", "reference", "dialect", hypothesis="new")
    write_shards(texts, tmp_path / "run", 4)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_slipped(folder: Path, demo: Path) -> None:
    """The files of docs/check.md: references, and hypotheses without their line 100."""
    folder.mkdir()
    for name, source in (("ref.txt", "ref.csv"), ("hyp.txt", "whisper-tiny.csv")):
        texts = pl.read_csv(demo / source)["text"].to_list()
        if name == "hyp.txt":
            del texts[99]
        (folder / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")


@pytest.mark.parametrize(("page", "code"), blocks("python"))
def test_python_blocks_run(page: str, code: str, desk: Path) -> None:
    exec(compile(code, page, "exec"), {})


@pytest.mark.parametrize(("page", "code"), blocks("console"))
def test_console_blocks_show_what_is_printed(
    page: str, code: str, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`$ misword ...` followed by its output, as a terminal shows it."""
    capsys.readouterr()
    for command in commands(code):
        assert command.words[0] == "misword"
        assert main(command.arguments) == 0
        assert command.output == lines(capsys.readouterr().out)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != CHANGED], ids=lambda page: page.name
)
def test_commands_that_are_not_run_have_valid_options(page: Path) -> None:
    """Indented lines `misword ...`, workflows of CI, and the table of all commands."""
    whole = page.read_text("utf-8")
    text = FENCE.sub("", whole).replace("\\\n", " ")
    found = re.findall(r"^    (misword .*)$", text, re.MULTILINE)
    if page.name == "command-line.md":
        found += re.findall(r"\| `(misword [^`]+)` \|", text)
    for _, body in (block for block in FENCE.findall(whole) if block[0] == "yaml"):
        found += re.findall(r"(misword [a-z].*?)(?= - |$)", " ".join(body.split()))
    for line in found:
        _, command, *words = shlex.split(line, comments=True)
        parser_of(command).parse_args(words)


README = (ROOT / "README.md").read_text("utf-8")
# Beginnings of the commands of README that install misword; tools/release_check.py runs such.
INSTALLING = ("uvx misword demo", "pip install ", "make demo", "make test")


def test_every_command_of_the_readme_is_run(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands in sentences and in indented lines; those of console blocks have a test above."""
    text = FENCE.sub("", README)
    indented = [line.partition("#")[0].strip() for line in re.findall("^    .+$", text, re.M)]
    others = [line for line in indented if not line.startswith("misword ")]
    assert [line for line in others if not line.startswith(INSTALLING)] == []
    inline = re.findall(r"`(misword [^`]+)`", text)
    found = [line for line in (*indented, *inline) if line.startswith("misword ")]
    assert len(found) >= 3
    for line in found:
        if line.startswith("misword demo --copy"):  # `desk` has it already
            line = "misword demo --copy another"
        assert main(shlex.split(line)[1:]) == 0, line
    capsys.readouterr()


def test_the_matrix_of_the_readme_is_that_of_bench(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "demo/bench.toml", "--metrics", "wer", "--format", "md"]) == 0
    printed = capsys.readouterr().out
    rows = re.findall(r"^\| (?:test set|sentences|call) \|.*$", README, re.M)
    assert len(rows) == 3
    assert all(row in printed.splitlines() for row in rows)


def test_the_readme_is_short() -> None:
    assert len(README.encode()) < 9000


def test_every_marked_block_is_run_or_checked() -> None:
    marks = {mark for page in PAGES for mark, _ in FENCE.findall(page.read_text("utf-8"))}
    assert marks == LANGUAGES


def test_the_table_of_commands_has_all_commands() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert set(re.findall(r"\| `misword ([\w-]+)", text)) == set(COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files exist, as do headings that a link names after `#`; reference links have targets."""
    text = FENCE.sub("", page.read_text("utf-8"))
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"^\[[^]]+\]: (\S+)$", text, re.M)
    for target in targets:
        if target.startswith("http"):
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), target
    labels = {label.lower() for label in re.findall(r"^\[([^]]+)\]: ", text, re.M)}
    used = {label.lower() for label in re.findall(r"\]\[([^]]+)\]", re.sub(r"`[^`]*`", "", text))}
    assert used <= labels


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as links write them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings
    }


class DocstringRunner(doctest.DocTestRunner):
    """Ends at the first unexpected exception, so that a missing package skips the test."""

    def report_unexpected_exception(
        self, out: object, test: object, example: object, exc_info: tuple[Any, Any, Any]
    ) -> None:
        raise exc_info[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_docstring_examples(path: Path) -> None:
    name = ".".join(path.relative_to(Path(misword.__file__).parent.parent).with_suffix("").parts)
    module = import_module(name.removesuffix(".__init__"))
    runner = DocstringRunner()
    for example in doctest.DocTestFinder().find(module):
        runner.run(example)
    assert runner.summarize().failed == 0


SPEED_RESULTS = ["growth.md", "spine.md", "startup.md", "meaning.md", "loading.md"]


def rows(page: Path, start: str, end: str) -> list[str]:
    """Table rows between two headings."""
    section = page.read_text("utf-8").partition(start)[2].partition(end)[0]
    return [line for line in section.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(
    ("page", "start", "end", "sources", "least"),
    [
        ("docs/speed.md", "## misword beside", "## All", SPEED_RESULTS, 21),
        ("docs/meaning.md", "HATS (", "## Reference", ["hats.md"], 11),
        ("docs/neural.md", "## Fast", "## Do people", ["neural.md"], 30),
        ("docs/noise.md", "### What came out", "## Learn noise", ["corrupt.md"], 25),
        ("docs/noise.md", "### Real errors", "## Reference", ["realism.md"], 14),
        ("docs/neural.md", "## Do people", "## Reference", ["hats.md"], 13),
        ("docs/mapping.md", "## How good, how fast", "## Stop", ["mapping.md"], 12),
        ("docs/reranking.md", "## How good, how fast", "Most of", ["reranking.md"], 15),
        ("docs/mapping-muse.md", "The size of the disc", "## RCSLS", ["mapping-games.md"], 10),
        ("docs/lexicons.md", "one mapping has these rates", "The table of cov", ["lexicon.md"], 8),
        ("docs/lexicons.md", "each size mapped", "## Is one mapping", ["lexicon.md"], 10),
        ("docs/audit.md", "## Proper nouns", "## Cleaning", ["names.md"], 4),
        ("docs/robust.md", "## What we find", "## Reference", ["robust.md"], 24),
        ("docs/channels.md", "## Fast", "## Tables are kept", ["phonology.md"], 9),
        ("docs/installing.md", "## Sizes", "## Licences", ["install-sizes.md"], 15),
        ("docs/fit.md", "95 % interval of the mean over draws", "## Direct", ["prior.md"], 22),
    ],
)
def test_quoted_figures_are_the_measured_ones(
    page: str, start: str, end: str, sources: list[str], least: int
) -> None:
    """Pages show rows of the tables that the benchmarks wrote, as they are."""
    found = rows(ROOT / page, start, end)
    folder = ROOT / "bench/results"
    measured = {line for name in sources for line in (folder / name).read_text("utf-8").split("\n")}
    assert len(found) >= least
    assert set(found) <= measured
