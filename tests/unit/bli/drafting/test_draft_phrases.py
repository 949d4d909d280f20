"""Multi-word expressions: found in a corpus, with vectors by parts or contexts, and translated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bilingual import mapped_side, write_mapping
from misword.bli.draft import draft_lexicon
from misword.bli.drafting.examples import Sentences, tokens_of
from misword.bli.drafting.phrases import (
    association,
    find_phrases,
    read_phrases,
    vectors_by_contexts,
    vectors_by_parts,
    with_phrases,
)
from misword.bli.translate import translate
from misword.core.errors import InputError, OptionError


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_association_is_that_of_bouma() -> None:
    """2 of 8 words are each of *a* and *b*, which occur together once: PMI = log 2, of log 8."""
    counts = {("a", "b"): 1, ("a",): 2, ("b",): 2}
    assert association(("a", "b"), counts, 8) == pytest.approx(np.log(2) / np.log(8))
    independent = {("a", "b"): 1, ("a",): 2, ("b",): 4}
    assert association(("a", "b"), independent, 8) == 0


def test_phrases_of_a_corpus() -> None:
    """Neither chance neighbours nor a phrase with a function word at an end."""
    text = "we like ice cream . the ice is cold and the cream is sweet . give up ice cream now"
    sentences = [tokens_of(line) for line in text.split(".")] * 3
    sentences += [("cold", word) for word in "abcdefgh"] + [("the", "dog")] * 9
    found = find_phrases(sentences, {"the", "is", "and", "we", "up"}, least=4)
    assert found == {"ice cream": 6}


def test_a_phrase_of_three_words() -> None:
    sentences = [("new", "york", "times")] * 6 + [("a", "b", "c", "d", "e")] * 9
    assert find_phrases(sentences)["new york times"] == 6


def test_vectors_by_parts() -> None:
    side = mapped_side(["ice", "cream"], [[1, 0], [0, 1]])
    rows, there = vectors_by_parts(side, ["Ice cream", "ice age", "ice"])
    assert there.tolist() == [True, False, False]
    assert rows[0] == pytest.approx([0.5**0.5, 0.5**0.5])
    extended, new = with_phrases(side, ["ice cream", "ice age", "cream"])
    assert (list(extended.vocabulary), new) == (["ice", "cream", "ice cream"], ["ice cream"])
    assert with_phrases(side, ["cream"]) == (side, [])


def test_vectors_by_contexts(tmp_path: Path) -> None:
    """The neighbours of *hot cat* are food, which its parts are not."""
    words = ["red", "hot", "sausage", "bun", "cat", "pet"]
    side = mapped_side(words, [[1, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 0]])
    lines = ["sausage bun sausage bun", "red hot red hot", "cat pet pet cat"]
    lines += ["sausage hot cat bun"] * 25
    corpus = Sentences.read(write(tmp_path / "en.txt", *lines * 20), side)
    rows, often = vectors_by_contexts(side, ["hot cat", "red bun"], corpus)
    assert often.tolist() == [True, False]
    parts, _ = vectors_by_parts(side, ["hot cat"])
    assert rows[0, 1] > 0.5 > parts[0, 1]


def test_a_phrase_is_translated_by_its_words(tmp_path: Path) -> None:
    """*house roof* is as near to *maison* as to *chat*, each the nearest word of one part."""
    words = ["house roof", "house unicorn", "dog"]
    found = translate(write_mapping(tmp_path), words, 2, retriever="nn")
    rows = found.table().select("word", "candidate").rows()
    assert set(rows[:2]) == {("house roof", "maison"), ("house roof", "chat")}
    assert rows[2] == ("house unicorn", None)
    assert "vectors by the words of the phrase: 'house roof'" in found.notes
    assert found.unknown == ["house unicorn"]


def test_phrases_of_lists_are_headwords_and_candidates(tmp_path: Path) -> None:
    mapping = write_mapping(tmp_path)
    lists = [
        write(tmp_path / "en.txt", "house roof\t3", "dog", "no vector"),
        write(tmp_path / "fr.txt", "maison toit"),
    ]
    draft = draft_lexicon(mapping, ["dog"], 2, phrases=lists)
    rows = {row.word: row for row in draft.headwords}
    assert list(rows) == ["dog", "house roof"]
    assert (rows["house roof"].rank, rows["house roof"].pos) == (0, "")
    assert "maison toit" in [one.word for one in rows["house roof"].candidates]
    assert "1 of 2 source phrases have a vector" in draft.notes
    assert "phrases:1/1" in str(draft.signature)


def test_phrases_are_found_in_the_examples(tmp_path: Path) -> None:
    corpus = write(tmp_path / "en.txt", *["My house roof is red."] * 6, *["A dog and a cat."] * 9)
    draft = draft_lexicon(write_mapping(tmp_path), None, 2, examples=[corpus], find_phrases=True)
    (row,) = (row for row in draft.headwords if row.word == "house roof")
    assert (row.frequency, row.rank) == (6, 5)
    assert row.examples[0][1].text == "My house roof is red."


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no phrase of several words"):
        read_phrases(write(tmp_path / "one.txt", "dog", ""))
    mapping = write_mapping(tmp_path)
    with pytest.raises(OptionError, match="there is no corpus"):
        draft_lexicon(mapping, ["dog"], 1, find_phrases=True)
    with pytest.raises(OptionError, match="3 lists of phrases"):
        draft_lexicon(mapping, ["dog"], 1, phrases=["a", "b", "c"])
