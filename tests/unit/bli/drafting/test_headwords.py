"""Which words have a row: lemmas without a training pair, and what else is asked for."""

from __future__ import annotations

import pytest

from bilingual import mapped_side
from drafts_made import headword
from extras import needs
from misword.bli.drafting.headwords import (
    WordFacts,
    add_names,
    draft_headwords,
    select_headwords,
    sort_by_gain,
)
from misword.bli.open_mapping import OpenMapping
from misword.bli.options import INCLUDED, included_names
from misword.bli.retrievers import RETRIEVERS
from misword.bli.seeds import TrainingPairs
from misword.bli.translate import translate_listed
from misword.core.errors import OptionError

WORDS = ["the", "dogs", "dog", "houses", "paris", "cat", "cats", "1990", "house", "roofs"]
TRAINED = TrainingPairs.of([("cats", "chats")])
FACTS = WordFacts(
    {"the": "DET", "paris": "PROPN"} | dict.fromkeys(WORDS[1:4], "NOUN"),
    {"dogs": "dog", "houses": "house", "cats": "cat", "roofs": "roof"},
)


@pytest.fixture(autouse=True)
def facts_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WordFacts, "of", lambda *_: FACTS)


def chosen(include: str, *judged: str) -> list[str]:
    return list(select_headwords(WORDS, "en", TRAINED, included_names(include), judged).words)


def test_headwords_are_new_lemmas() -> None:
    """*cat* is known by its plural; *roof* has no vector, so its plural is the headword."""
    found = select_headwords(WORDS, "en", TRAINED, (), ())
    assert found.words == ["dog", "paris", "house", "roofs"]
    assert found.forms == {"dog": ("dogs",), "house": ("houses",), "cat": ("cats",)}
    assert found.known == {"cat"}
    assert found.note(names=2) == (
        "no row of their own: 3 inflected forms of other headwords, 1 words of the training "
        "lexicon, 2 names, 1 function words and 1 words without a letter; --include gives them one",
    )


@pytest.mark.parametrize(
    ("include", "more"),
    [("known", ["cat"]), ("function-words", ["the"]), ("symbols", ["1990"])],
)
def test_what_is_included(include: str, more: list[str]) -> None:
    assert set(chosen(include)) == {"dog", "house", "paris", "roofs", *more}


def test_the_probability_of_a_name_corrects_the_tagger() -> None:
    rows = [headword("house", "maison", pos="PROPN"), headword("paris", "paris", pos="PROPN")]
    house, paris = add_names(rows, ("en", "fr"))
    assert (house.pos, house.is_name) == ("NOUN", False)
    assert (paris.pos, paris.is_name) == ("PROPN", True)


def test_all_words_can_have_a_row() -> None:
    assert chosen("all") == WORDS
    with pytest.raises(ValueError, match="'verbs' is none of forms, known"):
        included_names("known,verbs")


def test_judged_words_have_a_row() -> None:
    assert chosen("none", "cats", "the") == ["the", "dog", "paris", "cat", "cats", "house", "roofs"]


def test_nothing_left_is_an_error() -> None:
    with pytest.raises(OptionError, match="no headword is left: 1 of 1 word are in the training"):
        select_headwords(["cats"], "en", TRAINED, ("forms",), ())


def test_lemmas_that_name_each_other_are_one_headword() -> None:
    facts = WordFacts(lemmas={"a": "b", "b": "c", "c": "b"})
    places = {"c": 0, "b": 1, "a": 2}
    assert [facts.head(word, places) for word in "abc"] == ["c", "c", "c"]


@needs("simplemma")
def test_candidates_of_one_lemma_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lemma has a vector and stands for both forms, with the better score."""
    source = mapped_side(["dog"], [[3, 2, 1]])
    target = mapped_side(["chiens", "chien", "chat"], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mapping = OpenMapping(source, target, "toy", ())
    facts = WordFacts(lemmas={"chiens": "chien"})
    monkeypatch.setattr("misword.bli.drafting.headwords.WordFacts", lambda **_: facts)
    found = translate_listed(mapping, ["dog"], 3, RETRIEVERS.create("nn"))
    (row,) = draft_headwords(mapping, found, k=2, lang="fr")
    assert [(one.word, one.forms) for one in row.candidates] == [
        ("chien", ("chiens",)),
        ("chat", ()),
    ]
    assert row.best_score == pytest.approx(3 / 14**0.5)


def test_frequent_and_sure_rows_come_first() -> None:
    rows = [
        headword("rare", "a", rank=1000),
        headword("frequent", "b", rank=2),
        headword("known", "c", rank=1, known=True),
        headword("none", rank=1),
    ]
    found = [row.word for row in sort_by_gain(rows, probabilities=True)]
    assert found == ["frequent", "rare", "known", "none"]


def test_each_name_of_what_is_included_is_explained() -> None:
    assert included_names("all") == tuple(INCLUDED)
