"""Phonological distances, worked out by hand from Hayes' chart."""

from __future__ import annotations

import numpy as np
import pytest

from misword.core.errors import OptionError
from misword.noise.phonology import Edits, Phonology

# Of the 28 features in Hayes' chart and two of diphthongs, those that differ:
# T, D   voice                                                              1
# T, P   LABIAL, CORONAL opposed; anterior, distributed, strident in T only 2 + 3/4
# S, Z   voice                                                              1
# S      specifies 23 features, so it costs 23/4 to insert; N 22
BY_HAND = [
    ("cat", "cat", 0.0, 0.0),
    ("kat", "cat", 0.0, 0.0),
    ("cat", "cad", 1.0, 1.0),
    ("cat", "cap", 2.75, 5.0),
    ("cat", "cats", 5.75, 23.0),
    # S dropped and put in again, 2 x 23 features; or S-IY, IY-T, T-S changed, 17 + 18 + 3 features,
    # of which 7 + 8 + 3 are opposed: 18 + 20/4 at the first prices, too dear, and 38 at the second.
    ("seat", "eats", 11.5, 38.0),
    ("syria", "syrian", 5.5, 22.0),
    ("syria", "serious", 5.75, 23.0),
    ("pat", "bad", 2.0, 2.0),  # voice twice
]


def apart(left: str, right: str, edits: Edits = "features", lang: str = "en") -> float:
    sounds = Phonology(lang, edits=edits).pronounce([left, right])
    assert sounds.has_distances.all()
    return float(sounds.distances(np.array([[0, 1]]))[0])


@pytest.mark.parametrize(("left", "right", "features", "single"), BY_HAND)
def test_by_hand(left: str, right: str, features: float, single: float) -> None:
    assert apart(left, right) == apart(right, left) == features
    assert apart(left, right, "single") == apart(right, left, "single") == single


def test_the_distances_that_voleti_prints_for_syria_are_those_of_such_words() -> None:
    """The notebook prints 6.25, 10.25, 11.25 twice and 12.25 among its fifteen."""
    known = {"sharia": 6.25, "korea": 10.25, "siberia": 11.25, "syrians": 11.25, "libya": 12.25}
    assert {word: apart("syria", word) for word in known} == known


def test_french_by_hand() -> None:
    """[v] and [f] differ in voice; a final s is silent; nasal vowels in [nasal]."""
    assert apart("vin", "fin", lang="fr") == 1.0
    assert apart("maison", "maisons", lang="fr") == 0.0
    assert apart("chat", "rat", lang="fr") > apart("chat", "ça", lang="fr") > 0.0


def test_words_without_pronunciation_are_unknown() -> None:
    sounds = Phonology("en").pronounce(["cat", "...", "ω", "catω", ""])
    assert sounds.has_distances.tolist() == [True, False, False, False, False]


def test_nearest_leaves_the_word_itself_out_but_not_its_homophone() -> None:
    words = ["see", "sea", "zee", "tree", "..."]
    sounds = Phonology("en").pronounce(words)
    among = np.flatnonzero(sounds.has_distances)
    found = sounds.nearest(np.array([0, 2]), among[1:], 2, 60.0)
    named = [[words[among[1:][i]] for i in row] for row in found.ids]
    assert named == [["sea", "zee"], ["sea", "tree"]]
    assert found.costs[:, 0].tolist() == [0.0, 1.0]


def test_settings_name_what_decides() -> None:
    named = dict(Phonology("en").settings)
    assert named["phonemizer"].startswith("cmudict")
    assert named["features"].startswith("hayes2009-")
    assert named["edits"] == "features"
    assert dict(Phonology("fr", edits="single").settings)["features"].startswith("panphon-")


def test_unknown_language_is_refused() -> None:
    with pytest.raises(OptionError, match="no phonemizer"):
        Phonology("xx").check()
