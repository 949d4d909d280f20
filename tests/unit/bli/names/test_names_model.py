"""Proper nouns: word lists, spelling across scripts, and the model on annotated dictionaries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from make_names import cross_validated, learn, read_annotated
from misword.bli.names.model import (
    OTHER_SCRIPT,
    SAME_SCRIPT,
    WEIGHTS,
    english_features,
    foreign_features,
    learn_odds,
    least_common_word,
    name_probabilities,
    spelling_class,
    weight_set,
)
from misword.bli.names.word_lists import ABSENT, levels_of
from misword.core.errors import MissingExtraError

LOWEST_F1 = 0.84


@pytest.mark.parametrize("places", [False, True])
@pytest.mark.parametrize(("train", "test"), [("de", "bg"), ("bg", "de")])
def test_f1_on_a_language_that_was_not_seen(
    shared: Path, train: str, test: str, places: bool
) -> None:
    """Words of the training language are removed from the test."""
    folder = shared / "bli" / "lost-in-evaluation"
    data = [read_annotated(language, folder) for language in (train, test)]
    _, _, f1 = cross_validated(*data, places=places)
    assert f1 >= LOWEST_F1


def test_the_shipped_weights_are_those_of_the_tool(shared: Path) -> None:
    import json
    from importlib.resources import files

    folder = shared / "bli" / "lost-in-evaluation"
    data = [each for lang in ("de", "bg") for each in read_annotated(lang, folder)]
    shipped = json.loads((files("misword.bli.names") / WEIGHTS).read_text("utf-8"))["weights"]
    for name, weights in learn(data, places=False).items():
        assert shipped[name] == pytest.approx(weights, abs=2e-4)


def test_levels_tell_names_from_words() -> None:
    assert levels_of("Stefan").common == ABSENT
    assert levels_of("stefan").name <= 50
    assert levels_of("table").common <= 20
    assert levels_of("table").with_capital == ABSENT
    assert not levels_of("qwxyz").is_listed


def test_an_english_phrase_is_known_by_its_least_common_word() -> None:
    assert least_common_word("new york") == "york"
    assert least_common_word("") == ""


@pytest.mark.parametrize("word", ["american", "americans", "thursday", "islamic"])
def test_words_with_a_capital_that_are_no_names(word: str) -> None:
    pairs = [(word, word[::-1])]
    assert name_probabilities(pairs, ("en", "de")).probabilities[0] < 0.5
    assert english_features(word) == english_features(word.upper())


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("london", "लंदन"), ("london", "لندن"), ("berlin", "बर्लिन"), ("berlin", "ბერლინი"),
        ("madrid", "Μαδρίτη"), ("washington", "واشنطن"), ("moskva", "Москва"), ("london", "לונדון"),
    ],
)  # fmt: skip
def test_names_are_recognised_across_scripts(name: str, word: str) -> None:
    assert spelling_class(name, word) in OTHER_SCRIPT[:2]


@pytest.mark.parametrize("word", ["शिक्षक", "معلم", "учител", "δάσκαλος"])
def test_translations_are_not_taken_for_names(word: str) -> None:
    assert spelling_class("teacher", word) in OTHER_SCRIPT[2:]


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_every_pair_has_a_class_or_no_letters(first: str, second: str) -> None:
    found = spelling_class(first, second)
    has_letters = all(any(map(str.isalpha, word)) for word in (first, second))
    assert found is None or found in (*SAME_SCRIPT, *OTHER_SCRIPT)
    assert found is None or has_letters


def test_languages_without_english_have_weights_of_their_own() -> None:
    assert weight_set(("et", "sk"), places=False) == "other"
    found = name_probabilities([("aadam", "adam"), ("koer", "pes")], ("et", "sk"))
    assert found.probabilities[0] > found.probabilities[1]
    assert foreign_features("koer", "pes") == {}


def test_the_lexicon_itself_tells_how_names_are_spelled() -> None:
    """Capitals are evidence where a column has some, and none where all words have one."""
    words = ["table", "river", "house", "garden", "window"] * 20
    names = ["London", "Berlin", "Stefan", "Maria", "Chicago"] * 5
    pairs = [(word, "y") for word in words] + [(name, "Y") for name in names]
    unknown = [("Qwertia", "X"), ("qwertia", "x")]
    found = name_probabilities([*pairs, *unknown], ("en", "fr")).probabilities[-2:]
    assert found[0] > found[1]
    everywhere = [(word.capitalize(), other) for word, other in pairs]
    alone = name_probabilities([*everywhere, ("Qwertia", "y"), ("Qwertib", "y")], ("en", "fr"))
    assert alone.probabilities[-1] == pytest.approx(alone.probabilities[-2])


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40))
def test_a_trait_that_all_pairs_share_changes_nothing(odds: list[float]) -> None:
    changed = learn_odds(np.array(odds), [["same"] * len(odds)])
    assert changed == pytest.approx(np.array(odds), abs=1e-6)


def test_evidence_is_in_words() -> None:
    texts = name_probabilities([("london", "londres"), ("dog", "chien")], ("en", "fr")).evidence
    assert texts == (
        "only with a capital in English (level 50)",
        "English word in lower case (level 10)",
    )


def test_places_without_their_packages_name_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="babel") as error:
        name_probabilities([("a", "b")], ("en", "fr"), places=True)
    assert "misword[names]" in str(error.value)
