"""Every command that writes: whatever call of the file system fails, outputs are old or new.

Each call within the folder of the outputs fails in turn: with an error, with a disk that is full
from then on, and as if the process were killed. `injection.py` says how.
"""

from __future__ import annotations

import errno
import inspect
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import misword
from arpa import ARPA
from faults.injection import Injection, Killed, injected
from judged import choice_table
from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS as ALL_COMMANDS
from misword.cli.commands import module_of
from misword.cli.main import main
from misword.core import leftovers
from misword.io.files import replacements

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/fd")

OUT = "out"  # the folder of all outputs
FOREIGN = "notes.txt"  # a file of the user in a folder that misword wrote
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES)
# Calls by which temporary files are removed or looked for: what they leave, the next run removes.
REMOVING = {"os.remove", "os.rmdir", "os.scandir", "os.listdir", "open for reading"}

COMMANDS = {
    "score": "score {ref} hyp.txt --metrics wer --bootstrap 9 --out out/result --force "
    "--report out/report.html",
    "compare": "compare {ref} hyp.txt ref.txt --metrics wer --bootstrap 9 --keywords hyp.txt "
    "--out out/result --force",
    "correlate": "correlate {ref} hyp.txt --metrics wer,cer --bootstrap 9 --out out/result --force",
    "segment": "segment hyp.txt {ref} -o out/cut.txt --out out/result --force",
    "oracle": "oracle hyp.txt {ref} --metrics wer --bootstrap 9 -o out/best.txt --out out/result "
    "--force",
    "tune": "tune texts.csv {lists} --resamples 0 --bootstrap 9 -o out/chosen.txt "
    "--write-weights out/w.json --out out/result --force",
    "mbr": "mbr {ref} --bootstrap 9 -o out/best.txt --out out/result --force",
    "combine": "combine {ref} hyp.txt --bootstrap 9 -o out/best.txt --out out/result --force",
    "rescore": "rescore {ref} --lm ngram:lm.arpa -o out/scored.jsonl --out out/result --force",
    "fit": "fit {choices} --metrics wer,cer --bootstrap 9 --repeats 1 --folds 2 -o out/b.json "
    "--out out/result --force",
    "gate": "gate {ref} hyp.txt --max wer=1 --junit out/gate.xml",
    "corrupt": "corrupt {ref} --wer 0.2,0.5 --channel uniform -o out/noisy.txt --out out/result "
    "--force",
    "learn-noise": "learn-noise {ref} hyp.txt -o out/noise.json",
    "map": "map {vec} {target} --method procrustes --lexicon pairs.tsv -o out/ab.map "
    "--export-source out/a.vec --export-target out/b.vec",
    "translate": "translate {map} --all --k 2 -o out/lexicon.tsv --out out/result --force",
    "draft": "translate {map} --all --k 2 --draft -o out/draft.tsv --out out/result --force",
    "evaluate": "evaluate {map} pairs.tsv --k 1 --bootstrap 9 --out out/result --force",
    "build": "build --source-lang eo --target-lang ia --from pairs.tsv --source-vectors {vec} "
    "--target-vectors {target} --size 1 --seed {seed} -o out/gold --force",
    "audit": "audit {gold} --source-lang zu --target-lang xh --flags identical,case "
    "--predictions {map} --k 1 --bootstrap 9 -o out/clean.tsv --out out/result --force",
    "vectors": "vectors convert {vec} --out out/vectors",
    "realism": "realism {many} many-hyp.txt --channels uniform --bootstrap 9 "
    "--out out/result --force",
    "references": "references {ref} --systems hyp.txt texts.txt --bootstrap 0 -o out/suspects.html "
    "--judged {verdicts} --corrected out/fixed.txt --out out/result --force",
    "report": "report {result} -o out/report.html",
}
# The mapping is kept if only the export of vectors fails, since the training takes long.
APART = {"map": {"ab.map"}}
# What stands for the names in braces when the old outputs are written, and for the new ones.
INPUTS = (
    {
        "ref": "ref.txt",
        "many": "many.txt",
        "choices": "choices.tsv",
        "lists": "lists.csv",
        "vec": "a.vec",
        "target": "b.vec",
        "map": "one.map",
        "gold": "pairs.tsv",
        "result": "one",
        "seed": "1",
        "verdicts": "verdicts.json",
    },
    {
        "ref": "other.txt",
        "many": "many-other.txt",
        "choices": "choices-other.tsv",
        "lists": "lists-other.csv",
        "vec": "c.vec",
        "target": "d.vec",
        "map": "two.map",
        "gold": "gold-other.tsv",
        "result": "two",
        "seed": "2",
        "verdicts": "verdicts-other.json",
    },
)
VERDICTS = (
    '{"verdicts": [{"id": "a", "utterance": "1", "start": 1, "end": 2, "reference": "cat", '
    '"consensus": "hat", "verdict": "consensus"}]}'
)
FILES = {
    "ref.txt": "the cat sat\non the mat\n",
    "other.txt": "the cat sits\non a mat\n",
    "many.txt": "the cat sat\na cat sat here\n" * 9,
    "many-other.txt": "the cat sat\na cat was here\n" * 9,
    "many-hyp.txt": "the hat sat\na hat sat there\n" * 9,
    "hyp.txt": "the hat sat\non mat\n",
    "texts.txt": "the hat sat\non the mat\n",
    "verdicts.json": VERDICTS,
    "verdicts-other.json": VERDICTS.replace('"hat"', '"hut"'),
    "texts.csv": "utt,text\nu1,the cat\nu2,a mat\n",
    "lists.csv": "utt,rank,text,lm\nu1,1,the hat,1\nu1,2,the cat,2\nu2,1,a mat,1\n",
    "lists-other.csv": "utt,rank,text,lm\nu1,1,the hat,1\nu1,2,the cat,0\nu2,1,mat,1\n",
    "a.vec": "4 2\nthe 1 0\ncat 0 1\nsat 1 1\nmat 1 2\n",
    "b.vec": "4 2\nle 1 0\nchat 0 1\nassis 1 1\ntapis 1 2\n",
    "c.vec": "4 2\nthe 1 0\ncat 0 1\nsat 1 2\nmat 1 3\n",
    "d.vec": "4 2\nle 1 0\nchat 0 1\nassis 1 2\ntapis 1 3\n",
    "pairs.tsv": "the\tle\ncat\tchat\nsat\tassis\n",
    "lm.arpa": ARPA,
    "gold-other.tsv": "the\tle\ncat\tchat\nmat\ttapis\n",
}

Snapshot = dict[str, bytes]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inputs of all commands."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        for seed, name in enumerate(("choices.tsv", "choices-other.tsv")):
            choice_table(seed, rows=24, references=12).write_csv(name, separator="\t")
        for vectors, name in (("a.vec", "one.map"), ("c.vec", "two.map")):
            words = f"map {vectors} b.vec --method procrustes --lexicon pairs.tsv -o {name}"
            assert main(words.split()) == 0
        for reference, name in (("ref.txt", "one"), ("other.txt", "two")):
            words = f"score {reference} hyp.txt --metrics wer --bootstrap 9 --out {name}"
            assert main(words.split()) == 0
    return folder


@pytest.fixture
def desk(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a copy of the inputs."""
    folder = tmp_path / "desk"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    return folder


@dataclass
class Case:
    """A command, and its outputs before and after it."""

    name: str
    old: Snapshot
    new: Snapshot
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def restore(self) -> None:
        """Restore the old outputs."""
        shutil.rmtree(self.folder / OUT, ignore_errors=True)
        if self.old:
            shutil.copytree(self.folder / "old", self.folder / OUT)
        self.capsys.readouterr()

    def run(self, injection: Injection | None = None) -> int | None:
        """Run the command; None if it was killed."""
        words = [*COMMANDS[self.name].format(**INPUTS[1]).split(), "-q"]
        if injection is None:
            return main(words)
        try:
            with injected(injection, self.monkeypatch):
                return main(words)
        except Killed:
            leftovers._OWN.clear()  # as in a new process
            return None

    def injections(self, *, kill: bool = False, full: bool = False) -> Iterator[Injection]:
        """Yield an injection for each kind of call, with the old outputs in place."""
        self.restore()
        counter = Injection(self.folder / OUT, sys.maxsize, kill=kill)
        assert self.run(counter) == 0
        assert self.found() == self.new
        assert {"open for writing", "write", "fsync"} <= counter.names
        for number in counter.distinct():
            code = errno.ENOSPC if full else ERRORS[number % len(ERRORS)]
            self.restore()
            yield Injection(self.folder / OUT, number, code, kill, full)

    def assert_next_run_succeeds(self) -> None:
        """Assert that the next run writes everything and removes what was left."""
        assert self.run() == 0
        assert self.found() == self.new

    def found(self) -> Snapshot:
        """Return all files in the folder of the outputs."""
        return snapshot(self.folder / OUT)

    def assert_old_or_new(self, found: Snapshot, *, whole: bool) -> None:
        """Assert that each output is old or new; if `whole`, all are old or all are new."""
        visible = {name: data for name, data in found.items() if not is_hidden(name)}
        states = set()
        for output in outputs_of(self.old) | outputs_of(self.new) | outputs_of(visible):
            content = part_of(visible, output)
            assert content in (part_of(self.old, output), part_of(self.new, output)), output
            if output not in APART.get(self.name, ()):
                states.add(content == part_of(self.new, output))
        assert len(states) == 1 or not whole, states

    def assert_one_message(self) -> None:
        """Assert that the error is one message, of a line for the fault and a line of advice."""
        lines = self.capsys.readouterr().err.splitlines()
        assert len(lines) in (1, 2), lines
        assert lines[0].startswith(f"misword {COMMANDS[self.name].split()[0]}: "), lines


def snapshot(folder: Path) -> Snapshot:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def is_hidden(name: str) -> bool:
    return name.startswith(".")


def outputs_of(found: Snapshot) -> set[str]:
    return {name.partition("/")[0] for name in found}


def part_of(found: Snapshot, output: str) -> Snapshot:
    """Return the files of one output, without the file of the user."""
    return {
        name: data
        for name, data in found.items()
        if name.partition("/")[0] == output and not name.endswith(FOREIGN)
    }


@pytest.fixture(params=["replaced", "created"])
def is_replaced(request: pytest.FixtureRequest) -> bool:
    """Whether old outputs are there."""
    return bool(request.param == "replaced")


@pytest.fixture
def case(
    name: str,
    is_replaced: bool,
    desk: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Case:
    """A command with its old and new outputs."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # it takes long
    assert main([*COMMANDS[name].format(**INPUTS[0]).split(), "-q"]) == 0
    for folder in Path(OUT).iterdir():
        if folder.is_dir():
            (folder / FOREIGN).write_text("mine", encoding="utf-8")
    old = snapshot(Path(OUT)) if is_replaced else {}
    Path(OUT).rename("old")
    case = Case(name, old, {}, desk, monkeypatch, capsys)
    case.restore()
    assert case.run() == 0
    case.new = case.found()
    assert not any(map(is_hidden, case.new))
    for output in outputs_of(old):
        assert part_of(case.new, output) != part_of(old, output), "a change must show"
    return case


def test_all_commands_that_write_are_here() -> None:
    """Commands that are not here write by `write_output`, as `score` does."""
    options = {"--out", "--report", "-o", "--junit"}
    for name in ALL_COMMANDS:
        writes = options & set(parser_of(name)._option_string_actions)
        source = inspect.getsource(module_of(name))
        assert not writes or name in COMMANDS or "write_output(" in source, name


@pytest.mark.parametrize("name", COMMANDS)
def test_a_call_that_fails(case: Case) -> None:
    for injection in case.injections():
        code = case.run(injection)
        found = case.found()
        case.assert_old_or_new(found, whole=True)
        if code == 0:
            assert {name: data for name, data in found.items() if not is_hidden(name)} == case.new
        else:
            assert code == 2
            case.assert_one_message()
        if any(map(is_hidden, found)):
            assert code == 0 or injection.failed in REMOVING, injection.calls[injection.at :]
            case.assert_next_run_succeeds()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_that_is_full(case: Case) -> None:
    for injection in case.injections(full=True):
        code = case.run(injection)
        found = case.found()
        case.assert_old_or_new(found, whole=True)
        if code == 0:
            assert {name: data for name, data in found.items() if not is_hidden(name)} == case.new
        else:
            case.assert_one_message()
            assert not any(map(is_hidden, found))


# A killed process does not close its files, and the simulated one does not either.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill(case: Case) -> None:
    for injection in case.injections(kill=True):
        assert case.run(injection) is None
        found = case.found()
        case.assert_old_or_new(found, whole=False)
        assert sum(name.endswith(FOREIGN) for name in found) == sum(
            name.endswith(FOREIGN) for name in case.old
        )
        case.assert_next_run_succeeds()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ["score"])
@pytest.mark.parametrize("is_replaced", [True])
def test_where_paths_cannot_be_exchanged(case: Case) -> None:
    """Where the folder is missing between two renames, a reader finds it, and so does a writer."""
    case.monkeypatch.setattr(replacements, "_exchange_call", lambda: None)
    missing = 0
    for injection in case.injections(kill=True):
        assert case.run(injection) is None
        out = case.folder / OUT / "result"
        missing += not out.exists()
        assert misword.load(out).result().tables["texts"]["reference"].to_list()
        case.assert_next_run_succeeds()
    assert missing == 1
    for injection in case.injections():
        code = case.run(injection)
        case.assert_old_or_new(case.found(), whole=True)
        assert code == 0 or not any(map(is_hidden, case.found())) or injection.failed in REMOVING
