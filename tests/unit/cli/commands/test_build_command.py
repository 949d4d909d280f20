"""The command `build`: its formats of output, its folder, and errors that leave nothing behind."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dictionary_files import CAT, write_gold_lesson, write_tei
from misword.cli.main import main

WORDS = shlex.split(
    "build --source-lang cs --target-lang sk --from dictionary/cs-sk.tei --source-vectors "
    "dictionary/cs.vec --target-vectors dictionary/sk.vec --size 4 -o gold"
)


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, with a dictionary."""
    write_gold_lesson(tmp_path / "dictionary")
    monkeypatch.chdir(tmp_path)


def test_json_is_the_datasheet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    written = json.loads(Path("gold/datasheet.json").read_text("utf-8"))
    assert printed == {k: v for k, v in written.items() if k not in ("files", "checksum")}


def test_csv_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "criterion,reason,pairs,headwords,examples"
    assert lines[1] == "single words,source: more than one word,1,1,vysoká škola - univerzita"
    assert main([*WORDS, "--force", "--format", "md"]) == 0
    assert "| evaluation | 4 |" in capsys.readouterr().out


def test_the_gold_set_can_be_mapped_and_evaluated() -> None:
    assert main(WORDS) == 0
    files = ["dictionary/cs.vec", "dictionary/sk.vec"]
    assert main(["map", *files, "--lexicon", "gold/train.tsv", "-o", "a.map"]) == 0
    assert main(["evaluate", "a.map", "gold/evaluation.tsv", "--by", "pos", "--k", "1"]) == 0


def test_broken_markup_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    write_tei(Path("broken.tei"), CAT, CAT.replace("</sense>", ""))
    words = [word.replace("dictionary/cs-sk.tei", "broken.tei") for word in WORDS]
    assert main(words) == 2
    assert "broken.tei:8: broken markup: mismatched tag" in capsys.readouterr().err
    assert not Path("gold").exists()


def test_bad_options(capsys: pytest.CaptureFixture[str]) -> None:
    for more, what in (
        (["--source-lang", "xx"], "'xx' is not a code of ISO 639"),
        (["--pos", "NUON"], "no part of speech 'NUON'"),
        (["--input-format", "te"], "unknown dictionary format 'te'"),
        (["-o", "dictionary"], "not a gold set"),
    ):
        assert main([*WORDS, *more]) == 2
        assert what in capsys.readouterr().err
    assert not Path("gold").exists()


def test_a_dictionary_of_the_other_direction_is_read_in_reverse() -> None:
    turned = shlex.split(
        "build --source-lang sk --target-lang cs --from dictionary/cs-sk.tei --source-vectors "
        "dictionary/sk.vec --target-vectors dictionary/cs.vec --size 4 -o gold"
    )
    assert main([*turned, "--reverse"]) == 0
    both = [Path(f"gold/{name}.tsv").read_text("utf-8") for name in ("train", "evaluation")]
    assert "\nmačka\tkočka\t" in "".join(both)


def test_a_gold_set_can_be_verified(capsys: pytest.CaptureFixture[str]) -> None:
    """A changed lexicon or datasheet is found."""
    assert main(WORDS) == 0
    assert main(["verify", "gold"]) == 0
    for file, old, new in (
        ("evaluation.tsv", "source", "sourse"),
        ("datasheet.json", '"seed": 0', '"seed": 1'),
    ):
        text = Path("gold", file).read_text("utf-8")
        Path("gold", file).write_text(text.replace(old, new), "utf-8")
        assert main(["verify", "."]) == 1
        assert f"{file}: the file was changed or damaged" in capsys.readouterr().out
        Path("gold", file).write_text(text, "utf-8")
    assert main(["verify", "gold"]) == 0
