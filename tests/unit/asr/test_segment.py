"""Long texts cut at the segments of references."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import misword
from misword.cli.main import main
from misword.core.errors import InputError, OptionError

REFERENCES = ["the cat sat on the mat", "a dog ran", "", "and that was all"]
HEARD = "the cat sat on a mat the dogs ran and that is all"
CUT = ["the cat sat on a mat", "the dogs ran", "", "and that is all"]


def test_a_text_is_cut() -> None:
    cut = misword.segment(REFERENCES, HEARD)
    assert cut.texts()["text"].to_list() == CUT
    assert cut.summary.select("segments", "words", "errors").rows() == [(4, 13, 4)]
    assert misword.segment(REFERENCES, HEARD.split()).texts()["text"].to_list() == CUT


def test_similar_words_are_paired() -> None:
    said, heard = ["we talked of houses", "yes it was"], "we spoke of house indeed it was"
    assert misword.segment(said, heard).segments["errors"].sum() == 3
    cut = misword.segment(["the dogs", "ran home"], "the dog home", costs="spelling")
    assert cut.texts()["text"].to_list() == ["the dog", "home"]


def test_translations_are_scored() -> None:
    pytest.importorskip("sacrebleu")
    cut = misword.segment(REFERENCES, {"one": HEARD, "two": "a cat"}, downstream="bleu,ter")
    row = cut.summary.row(0, named=True)
    assert 0 <= row["bleu.low"] < row["bleu"] < row["bleu.high"] <= 100
    assert {"bleu", "ter"} < set(cut.segments.columns)
    with pytest.raises(OptionError, match="2 systems"):
        cut.texts()
    assert cut.texts("two").height == 4
    assert "4 segments" in cut.overview().title


def test_texts_that_are_cut_already_are_refused() -> None:
    corpus = misword.Corpus.of(
        pl.DataFrame({"utt": ["1"], "text": ["a"]}), {"one": pl.Series(["a"])}
    )
    with pytest.raises(InputError, match="have the segments"):
        misword.segment(corpus)
    with pytest.raises(InputError, match="no hypotheses"):
        misword.segment(REFERENCES)


def test_the_command_writes_the_segments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ref.txt").write_text("\n".join(REFERENCES) + "\n")
    (tmp_path / "talk.txt").write_text(HEARD.replace(" ran", " ran\n") + "\n")
    cut = tmp_path / "cut.txt"
    paths = [str(tmp_path / name) for name in ("ref.txt", "talk.txt")]
    assert main(["segment", *paths, "-o", str(cut), "--format", "json"]) == 0
    assert cut.read_text().splitlines() == CUT
    out, err = capsys.readouterr()
    assert '"errors": 4' in out
    assert "1 recording cut into 4 segments" in err
    assert main(["segment", *paths, paths[1], "-o", str(cut)]) == 2
    assert "one system" in capsys.readouterr().err
