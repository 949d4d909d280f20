"""Translations: in memory, from files, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bilingual import mapped_side, open_mapping, write_mapping
from fasttext_file import fasttext_bin
from misword.bli.map import map_vectors
from misword.bli.mapping import Mapping
from misword.bli.open_mapping import OpenMapping, digest
from misword.bli.retrievers import RETRIEVERS
from misword.bli.translate import translate, translate_listed, words_in_other_case
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.io.lexicons import read_lexicon
from misword.io.results import read_result

NN = RETRIEVERS.create("nn")


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A mapping file with its vectors."""
    return write_mapping(tmp_path)


def test_candidates_come_in_order_of_their_scores() -> None:
    """The nearest first, with its cosine."""
    rows = translate_listed(open_mapping(), ["cat", "dog"], 2, NN).table().rows()
    assert [row[:3] for row in rows] == [
        ("cat", 1, "maison"),
        ("cat", 2, "chat"),
        ("dog", 1, "chien"),
        ("dog", 2, "chienne"),
    ]
    assert rows[0][3] == pytest.approx(0.8)
    assert rows[1][3] == pytest.approx(0.6)


def test_unknown_words_are_listed_without_candidates() -> None:
    """Words without a vector, and those whose vector has no direction."""
    found = translate_listed(open_mapping(), ["unicorn", "dog", "nothing", "dog"], 1, NN)
    assert found.unknown == ["unicorn", "nothing"]
    assert found.table()["candidate"].to_list() == [None, "chien", None, "chien"]


def test_words_in_another_case_are_mentioned(toy: Path) -> None:
    found = translate(toy, ["Dog", "CAT", "Unicorn", "house"], 1)
    assert found.unknown == ["Dog", "CAT", "Unicorn"]
    assert found.other_case == {"Dog": "dog", "CAT": "cat"}
    assert (
        found.notes[-1]
        == "the vocabulary has, in another case: 'dog' (for 'Dog'), 'cat' (for 'CAT')"
    )
    assert not any("another case" in note for note in translate(toy, ["Unicorn"], 1).notes)


def test_lower_case_comes_first() -> None:
    rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    side = mapped_side(["Paris", "paris", "OSLO"], rows)
    assert words_in_other_case(side, ["PARIS", "oslo", "Bonn"]) == {
        "PARIS": "paris",
        "oslo": "OSLO",
    }


def test_no_known_word_is_no_error() -> None:
    """The row of an unknown word has no candidate."""
    assert translate_listed(open_mapping(), ["unicorn"], 1, NN).table()["rank"].to_list() == [None]


def test_all_words_are_those_of_the_vocabulary(toy: Path) -> None:
    """They are in the order of the file, with the same results as words that are named."""
    whole = translate(toy, None, 3, retriever="csls:neighbors=2")
    assert list(whole.words) == ["dog", "cat", "house", "roof"]
    named = translate(toy, list(whole.words), 3, retriever="csls:neighbors=2")
    assert whole.table().equals(named.table())
    assert "|k:3|" in str(whole.signature)


def test_the_other_way(toy: Path) -> None:
    """From target to source; the signature says so."""
    found = translate(toy, ["maison", "dog"], 1, retriever="nn", reverse=True)
    assert found.table()["candidate"].to_list() == ["cat", None]
    assert "|way:reverse|" in str(found.signature)


def test_max_words_cuts_both_sides(toy: Path) -> None:
    """Candidates come from the first words only, and the signature says so."""
    found = translate(toy, ["dog", "house"], 2, retriever="nn", max_words=2)
    assert found.unknown == ["house"]
    assert set(found.table()["candidate"].drop_nulls()) == {"chien", "chienne"}
    assert "|max_words:2/2|" in str(found.signature)
    with pytest.raises(OptionError, match="max_words is 0"):
        translate(toy, ["dog"], max_words=0)
    with pytest.raises(OptionError, match="k is 0"):
        translate(toy, ["dog"], 0)


def test_what_tells_mappings_apart(toy: Path) -> None:
    """A different matrix is a different mapping, also with the same signature."""
    mapping = Mapping.read(toy)
    other = Mapping.read(toy)
    other.source.matrix[0, 0] = np.float32(0.5)
    assert digest(mapping) == digest(Mapping.read(toy))
    assert digest(mapping) != digest(other)


def test_gold_words_beyond_what_was_read(tmp_path: Path) -> None:
    """They are searched in the file; words that are not in the file are not counted."""
    path = write_mapping(tmp_path, "cut.map", max_words=2)
    source = OpenMapping.of(path).source
    assert source.not_loaded(["dog", "house", "roof", "unicorn"]) == {"house", "roof"}
    whole = OpenMapping.of(write_mapping(tmp_path, "whole.map")).source
    assert whole.not_loaded(["unicorn"]) == set()
    assert OpenMapping.of(tmp_path / "whole.map", max_words=1).source.not_loaded(["cat"]) == {"cat"}


def test_words_are_listed_of_text_files_only(tmp_path: Path) -> None:
    """For other files the answer is None: listing their words would take too long."""
    from misword.io.vectors.text import listed_words

    file = tmp_path / "vectors.npz"
    np.savez(file, words=np.array(["dog", "cat"]), vectors=np.eye(2, dtype=np.float32))
    assert listed_words(file, {"cat"}) is None
    text = tmp_path / "glove.txt"
    text.write_text("dog 1 0\ncat 0 1\nfish 1 1", encoding="utf-8")
    assert listed_words(text, {"fish", "dog", "bird"}) == {"fish", "dog"}


def test_words_from_n_grams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fastText model translates words it does not list; results of listed words do not change."""

    rng = np.random.default_rng(3)
    words = ["cats", "dogs", "houses", "roofs"]
    rows = rng.normal(size=(len(words) + 20, 6)).astype(np.float32)
    encoded = [word.encode() for word in words]
    (tmp_path / "s.bin").write_bytes(fasttext_bin(encoded, rows, grams=(2, 3, 20)))
    (tmp_path / "t.bin").write_bytes(fasttext_bin(encoded, rows, grams=(2, 3, 20)))
    same = [(word, word) for word in words]
    path = tmp_path / "same.map"
    sides = tmp_path / "s.bin", tmp_path / "t.bin"
    map_vectors(*sides, "procrustes", lexicon=same, output=path)
    plain = translate(path, words, 2)
    found = translate(path, [*words, "cat", "dogs"], 2)
    assert found.new == ("cat",)
    assert found.unknown == []
    assert found.table()[: len(plain.table())].equals(plain.table())
    units = OpenMapping.of(path).source
    assert units.ngram_vectors is not None
    cosines = units.ngram_vectors(["cat"])[0] @ OpenMapping.of(path).target.unit_vectors.T
    expected = [words[i] for i in np.argsort(-cosines[0])[:2]]
    new = translate(path, ["cat"], 2, retriever="nn").table()
    assert new["candidate"].to_list() == expected
    assert main(["translate", str(path), "cat", "dogs", "--k", "1"]) == 0
    assert "1 word is not listed: a vector from n-grams" in capsys.readouterr().err


def test_command_prints_json(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with rows in order; unknown words are named on standard error."""
    words = ["dog", "unicorn", "--k", "1", "--retriever", "nn", "--format", "json"]
    assert main(["translate", str(toy), *words]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["words"], told["unknown"]) == (2, 1)
    assert [row["candidate"] for row in told["rows"]] == ["chien", None]
    assert "1 of 2 words have no vector: 'unicorn'" in err


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_command_prints_tables(toy: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """Every word and candidate, signed."""
    arguments = ["translate", str(toy), "dog", "zzz", "--k", "2", "--format", form]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    for word in ("dog", "chien", "chienne", "zzz"):
        assert word in out
    assert "translate|retriever:csls" in (err if form == "csv" else out)


def test_command_reads_a_list_of_words(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One word a line, or the first column of a table; a repeated word once."""
    words = toy.with_name("words.txt")
    words.write_text("dog\nhouse\tmaison\n\ndog\n", encoding="utf-8")
    assert main(["translate", str(toy), "--words", str(words), "--k", "1", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()] == ["word", "dog", "house"]
    assert "1 duplicate words" in err


def test_command_drafts_a_lexicon(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole vocabulary as a table that can be read again."""
    draft = toy.with_name("draft.tsv")
    assert main(["translate", str(toy), "--all", "--k", "2", "-o", str(draft)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "4 words written" in err
    assert "translate|" in err
    made = read_lexicon(draft)
    assert list(made.headwords) == ["dog", "cat", "house", "roof"]
    assert len(made) == 8
    assert set(made.columns) == {"rank", "score"}


def test_command_writes_a_result(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Signed, with its table."""
    folder = toy.with_name("out")
    assert main(["translate", str(toy), "dog", "--k", "1", "--out", str(folder)]) == 0
    result = read_result(folder)
    assert result.kind == "translations"
    assert result.tables["candidates"]["candidate"].to_list() == ["chien"]
    assert result.provenance["signature"].startswith("translate|")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "no words to translate"),
        (["dog", "--all"], "words are named in two ways"),
        (["--all", "--format", "table"], "too long a table"),
        (["dog", "--retriever", "faiss"], "unknown retriever 'faiss'"),
        (["dog", "-o", "."], "this is a folder"),
        (["dog", "--source", "nowhere.vec"], "no such file"),
        (["--words", "nowhere.txt"], "no such file"),
    ],
)
def test_command_refuses(
    toy: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], what: str
) -> None:
    """With exit code 2 and nothing on standard output."""
    assert main(["translate", str(toy), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert what in err


def test_command_replaces_no_input(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The mapping file is unchanged."""
    before = toy.read_bytes()
    assert main(["translate", str(toy), "--all", "-o", str(toy)]) == 2
    assert "this is an input" in capsys.readouterr().err
    assert toy.read_bytes() == before


def test_command_refuses_what_is_no_mapping(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another kind of file, and a mapping without its vectors."""
    assert main(["translate", str(toy.with_name("en.vec")), "dog"]) == 2
    assert "this is no mapping" in capsys.readouterr().err
    toy.with_name("en.vec").unlink()
    assert main(["translate", str(toy), "dog"]) == 2
    assert "the source vectors are not there" in capsys.readouterr().err
