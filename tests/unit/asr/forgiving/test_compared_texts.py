"""Families read the words as they are written, whatever the normalizers make of them."""

from __future__ import annotations

import pytest

import misword
from misword.asr.compared_texts import ComparedTexts, Signs
from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.forgiving.spans import KeyedSpans
from misword.core.errors import OptionError
from misword.text.normalizers import normalizers
from misword.text.texts import Texts


def compared(reference: str, hypothesis: str, chain: str) -> ComparedTexts:
    texts = Texts.of([reference]), Texts.of([hypothesis])
    return ComparedTexts.of(*texts, Signs.none(texts[0]), normalizers(chain))


def test_places_of_words_that_are_divided_or_removed() -> None:
    texts = compared("costs 3.5 -- percent", "costs three point five", "lower,nopunct")
    words = texts.as_written()
    assert words.sides[0][0] == ["costs", "3.5", "--", "percent"]
    assert texts.words[0][0] == ["costs", "3", "5", "percent"]
    spans = KeyedSpans.of([(0, 1, 2, 7), (0, 2, 3, 8), (0, 3, 4, 9)])
    moved, _ = words.in_normal_text((spans, KeyedSpans.of(())))
    assert list(zip(moved.start, moved.end, moved.key, strict=True)) == [(1, 3, 7), (3, 4, 9)]


def test_normalised_words_are_read_if_words_are_joined() -> None:
    chain = (("join", misword.normalizer(lambda text: text.replace(" - ", "-"), name="join")),)
    texts = Texts.of(["a - b"]), Texts.of(["a b"])
    joined = ComparedTexts.of(*texts, Signs.none(texts[0]), normalizers([chain[0][1]]))
    assert joined.as_written().sides[0][0] == ["a-b"]


@pytest.mark.parametrize("normalize", ["nfc", "lower", "lower,nopunct", "casefold,nopunct,nfkc"])
def test_numbers_are_forgiven_under_every_normalisation(normalize: str) -> None:
    reference = ["It costs $3.5, or 60%."]
    hypothesis = ["it costs three point five dollars or sixty percent"]
    scores = misword.score(reference, hypothesis, "wer", normalize=normalize, forgive="writing")
    assert scores["wer"] == 0


def test_the_order_of_families_is_fixed() -> None:
    one, other = (
        ForgivenFamilies.of(specs, "en") for specs in ("numbers,case", ["case", "numbers"])
    )
    assert one == other
    assert one.settings == (("forgive", "case-2+numbers-2[en]"),)


def test_options_beside_the_group() -> None:
    choice = ForgivenFamilies.of("writing,compounds:most=2", "en")
    assert "compounds-1(most=2)" in choice.settings[0][1]
    assert choice == ForgivenFamilies.of("compounds:most=2,writing", "en")


def test_an_unknown_family() -> None:
    with pytest.raises(OptionError, match="'writings'"):
        misword.score(["a"], ["a"], forgive="writings")
