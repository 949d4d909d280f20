"""The normalizer of the Open ASR Leaderboard, against its own output and by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extras import needs
from misword.core.errors import OptionError
from misword.text.normalizers import normalize, normalizers, spell_chain
from misword.text.normalizers.open_asr_leaderboard import (
    KEPT_SYMBOLS,
    english_rules,
    join_acronyms,
    own_words,
)
from misword.text.texts import Texts

pytestmark = needs("whisper_normalizer")


def applied(text: str, lang: str = "en") -> str:
    return normalize(Texts.of([text]), normalizers("open-asr-leaderboard", lang)).split()[0]


@pytest.mark.slow
def test_sentences_of_the_leaderboard(shared: Path) -> None:
    """1,500 sentences, character by character."""
    lines = (shared / "leaderboard" / "english.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 1500
    found = normalize(Texts.of(row["raw"] for row in rows), normalizers("open-asr-leaderboard"))
    assert found.split() == [row["normalized"] for row in rows]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mario's castle", "mario s castle"),  # not `is`, unlike Whisper
        ("it's here's he's", "it is here is he is"),
        ("kinda sorta dunno cause", "kinda sorta dunno cause"),
        ("won't can't let's y'all", "will not can not let us you all"),
        ("Um, uh-huh, mhm ehehe so", "so"),
        ("a <b> [c] (d) e", "a e"),
        ("he 's been", "he has been"),
        ("1,000,000.5 people.", "1000000.5 people"),
        ("naïve Łódź Straße œuvre", "naive lodz strasse oeuvre"),
        ("e-mail wi fi et cetera", "email wifi etc"),
        ("at 5 p.m. all right ok", "at 5 pm alright okay"),
        ("the B B C has 5 G", "the bbc has 5g"),
        ("I a", "i a"),
        ("a 5 g", "a5g"),
        ("Stephen and Alan", "steven and allen"),
        ("colour flyer archaeology", "color flier archeology"),
        ("one dollar $1", "one one"),  # the rule of older versions of Whisper
        ("20 % 5%", "20 5%"),
        ("so… then", "so . then"),
        ("", ""),
        ("\u00a0\t", " "),
    ],
)
def test_english_by_hand(before: str, after: str) -> None:
    assert applied(before).strip() == after.strip()


PIECES = [
    "and", "a", "half", "the", "one", "hundred", "point", "oh", "double", "percent", "per", "cent",
    "$", ".", "%", "x1", "¢", "é", "ß", "-", "'s", "mr", "can't", "et", "cetera", "\u2003",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_short_cuts_change_nothing(text: str) -> None:
    """Rules that are skipped because a text has nothing for them would not change it."""
    rules = english_rules()
    cleaned = rules.clean_symbols(text, keep=KEPT_SYMBOLS)
    assert rules.clean(text) == cleaned
    assert rules.words(cleaned) == rules.write_numbers(cleaned).split()
    for literal, pattern, _ in (*rules.contractions, *rules.compounds):
        assert literal in text or not pattern.search(text)


def test_acronyms() -> None:
    assert join_acronyms(list("ab")) == ["a", "b"]
    assert join_acronyms(list("abc")) == ["abc"]
    assert join_acronyms(["b", "c", "word", "d"]) == ["bc", "word", "d"]
    assert join_acronyms(["b", "-", "c"]) == ["b", "-", "c"]
    assert join_acronyms([]) == []


def test_own_words() -> None:
    sizes = {kind: len(table) for kind, table in own_words().items()}
    assert sizes == {"spelling": 14, "removed": 6, "name": 152, "compound": 16}


@needs("num2words")
@pytest.mark.parametrize(
    ("lang", "before", "after"),
    [
        ("de", "Das kostet 10 000 € (netto), 21%!", "das kostet zehntausend einundzwanzig"),
        ("fr", "L'été, 91 œufs : «oui»", "l été quatre-vingt-onze œufs oui"),
        ("es", "¿Qué? 3.5", "qué tres cinco"),
        ("it", "E\u0300 vero", "è vero"),
        ("pt", "São 2 [risos]", "são dois"),
        ("de", "x\u00ady\u200bz", "xyz"),
        ("de", "1" * 5000, "1" * 5000),  # num2words cannot spell it
    ],
)
def test_other_languages(lang: str, before: str, after: str) -> None:
    assert applied(before, lang) == after


def test_languages_and_signature() -> None:
    assert spell_chain(normalizers("open-asr-leaderboard")).startswith(
        "open-asr-leaderboard[lang=en,state=2026-08-21,whisper-normalizer="
    )
    assert "num2words=" in spell_chain(normalizers("open-asr-leaderboard:lang=pt-BR"))
    with pytest.raises(OptionError, match="no rules for the language 'ja'") as caught:
        normalizers("open-asr-leaderboard", "ja")
    assert "en, de" in caught.value.fix
