"""Words, characters and normalizers."""

from __future__ import annotations

import sys
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError, OptionError
from misword.text.normalizers import NORMALIZERS, Normalizer, normalize, normalizers
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_characters, encode_lists, encode_words

SPACES = " \t\n\x0b\x1c\x1f\x85\xa0\u1680\u2000\u200a\u2028\u202f\u205f\u3000"
TRICKY = SPACES + "\u200b\ufeff\x01\x7fabé€😀"
letters = st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=["Cs"]))
texts = st.lists(st.text(letters, max_size=30).map(lambda text: text.replace("\0", "")), max_size=5)


@given(texts, texts)
def test_words_are_what_split_gives(refs: list[str], hyps: list[str]) -> None:
    sides = encode_words([Texts.of(refs), Texts.of(hyps)])
    for side, rows in zip(sides, (refs, hyps), strict=True):
        assert [side[i] for i in range(len(side))] == [row.split() for row in rows]
    assert sides[0].vocabulary is sides[1].vocabulary
    assert len(set(sides[0].vocabulary)) == len(sides[0].vocabulary)


@given(texts, st.booleans())
def test_characters_are_code_points_with_single_spaces(rows: list[str], spaces: bool) -> None:
    (side,) = encode_characters([Texts.of(rows)], spaces=spaces)
    glue = " " if spaces else ""
    assert ["".join(side[i]) for i in range(len(side))] == [glue.join(r.split()) for r in rows]


@pytest.mark.slow
def test_every_code_point_separates_as_str_split_says() -> None:
    points = [chr(i) for i in range(1, sys.maxunicode + 1) if not 0xD800 <= i <= 0xDFFF]
    (side,) = encode_words([Texts.of([f"a{point}b" for point in points])])
    right = [len(f"a{point}b".split()) for point in points]
    wrong = [hex(ord(p)) for p, a, b in zip(points, side.lengths, right, strict=True) if a != b]
    assert wrong == []


def test_many_words_and_long_words() -> None:
    """The table grows; words that share eight bytes or a length stay apart."""
    words = [f"{prefix}{i}" for i in range(9000) for prefix in ("w", "abcdefgh", "x" * 40)]
    (side,) = encode_words([Texts.of([" ".join(words), " ".join(reversed(words))])])
    assert side[0] == words
    assert side[1] == words[::-1]
    assert len(side.vocabulary) == len(words)


@pytest.mark.parametrize("gap", [" ", "\t", "\u3000", " \u2028 ", "\xa0"])
def test_words_and_gaps_at_every_place_of_a_block(gap: str) -> None:
    """A word or a gap may begin and end at any byte of the blocks in which a text is read."""
    for length in (1, 7, 8, 9, 15, 16, 17, 31, 64, 65, 200):
        rows = [
            gap.join(["é" * (start % 3) + "x" * start, "y" * length, "z"]) for start in range(70)
        ]
        (side,) = encode_words([Texts.of(rows)])
        assert [side[i] for i in range(len(side))] == [row.split() for row in rows]


def test_words_that_differ_in_one_byte_stay_apart() -> None:
    """Words up to 16 bytes are compared by their key, longer ones byte by byte."""
    words = []
    for length in (1, 7, 8, 9, 15, 16, 17, 24, 25, 40):
        word = "a" * length
        words += [word, *(word[:k] + "b" + word[k + 1 :] for k in range(length))]
    (side,) = encode_words([Texts.of([" ".join(words)])])
    assert side[0] == words
    assert len(side.vocabulary) == len(words)


def test_texts_refuse_nul_null_and_surrogates() -> None:
    with pytest.raises(InputError, match=r"row 2: the text holds a NUL"):
        Texts.of(["a", "b\0c"])
    with pytest.raises(InputError, match=r"row 2: there is no text"):
        Texts.of(["a", None])  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"row 2: half of a surrogate pair"):
        Texts.of(["a", "\ud800"])


@pytest.mark.parametrize("rows", [[], [""], ["", ""], ["a", "", "b c"]])
def test_texts_come_back(rows: list[str]) -> None:
    assert Texts.of(rows).split() == rows


def apply(spec: str, *rows: str) -> list[str]:
    return normalize(Texts.of(rows), normalizers(spec)).split()


@pytest.mark.parametrize(
    ("spec", "before", "after"),
    [
        ("nfc", "cafe\u0301", "caf\u00e9"),
        ("nfc", "Don\u2019t \u200b", "Don\u2019t \u200b"),
        ("nfd", "caf\u00e9", "cafe\u0301"),
        ("nfkc", "ﬁn １", "fin 1"),
        ("none", "cafe\u0301", "cafe\u0301"),
        ("lower", "ÉTÉ ΟΔΟΣ", "été οδος"),
        ("casefold", "Straße", "strasse"),
        ("nopunct", "don't, twenty-one - «oui» 'so'!", "don't  twenty-one    oui   so  "),
        ("nopunct:keep=", "don't", "don t"),
        ("noaccent", "où çà Ñandú", "ou ca Nandu"),
        ("apostrophe", "l’homme lʼautre", "l'homme l'autre"),
        ("nozerowidth", "a\u200bb\ufeff \u00adc", "ab c"),
        ("lower,nopunct", "Hé!", "hé "),
        ("lower,nfkc,lower", "ℌ", "h"),
        ("nopunct:keep=x+", "x+y x.", "x+y x "),
    ],
)
def test_normalizers(spec: str, before: str, after: str) -> None:
    assert apply(spec, before) == [after.replace("οδος", "οδο\u03c2")]


# Normalizers that need no file.
NAMES = [
    name
    for name in NORMALIZERS.names()
    if all(field.name != "file" for field in fields(NORMALIZERS.create(name)))  # type: ignore[arg-type]
]


@given(texts)
@pytest.mark.parametrize("name", NAMES)
def test_normalizers_treat_each_row_alone(name: str, rows: list[str]) -> None:
    assert apply(name, *rows) == [changed for row in rows for changed in apply(name, row)]


@pytest.mark.parametrize("name", NAMES)
def test_normalizers_that_keep_ascii_do(name: str) -> None:
    text = "".join(chr(i) for i in range(1, 128))
    (part,) = normalizers(name)
    assert (part.apply(text) == text) is part.keeps_ascii


def test_normalizer_unknown() -> None:
    with pytest.raises(OptionError, match="did you mean 'lower'"):
        normalizers("lowr")


def test_normalizer_that_eats_rows_is_refused() -> None:
    class Eats(Normalizer):
        def apply(self, joined: str) -> str:
            return joined.replace("\0", "")

    with pytest.raises(OptionError, match="changed the number of rows"):
        normalize(Texts.of(["a", "b"]), (Eats(),))


@given(st.lists(st.lists(st.sampled_from(["a", "été", "x" * 16, "y" * 17, "z" * 40])), max_size=5))
def test_decoded_words_are_the_text_with_single_spaces(rows: list[list[str]]) -> None:
    (tokens,) = encode_words([Texts.of("  ".join(["", *row, ""]) for row in rows)])
    decoded = decode_words(tokens)
    assert (decoded.rows, decoded.split()) == (len(rows), [" ".join(row) for row in rows])


def test_only_encoded_words_are_decoded() -> None:
    with pytest.raises(TypeError, match="encode_words"):
        decode_words(encode_lists([["a"]]))
