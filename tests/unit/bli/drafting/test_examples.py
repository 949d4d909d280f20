"""Examples: short sentences with common words, one for each sense."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bilingual import mapped_side
from drafts_made import headword
from misword.bli.drafting.examples import Sentences, add_examples, tokens_of
from misword.bli.drafting.rows import Headword
from misword.bli.open_mapping import OpenMapping
from misword.core.errors import OptionError

# Two directions: water and money. *bank* is between them; frequent words come first.
SOURCE = {
    "the": (1, 1), "is": (1, 1), "a": (1, 1), "bank": (1, 1), "water": (1, 0), "river": (1, 0),
    "money": (0, 1), "loan": (0, 1), "abstruse": (1, 1),
}  # fmt: skip
TARGET = {"rive": (1, 0), "banque": (0, 1)}
LINES = [
    "The bank is abstruse.",
    "A bank is a loan, money and a loan.",
    "The water of the river is a bank.",
    "The banks: water, river.",
    "bank",
    "Nothing is here at all.",
]


@pytest.fixture
def mapping() -> OpenMapping:
    source, target = (mapped_side(list(one), list(one.values())) for one in (SOURCE, TARGET))
    return OpenMapping(source, target, "toy", ())


def bank() -> tuple[Headword, ...]:
    row = headword("bank", "rive", "banque", forms=("banks",))
    return (replace(row, candidates=(row.candidates[0], replace(row.candidates[1], sense=2))),)


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_each_sense_has_the_sentence_of_its_meaning(tmp_path: Path, mapping: OpenMapping) -> None:
    (row,) = add_examples(bank(), mapping, [write(tmp_path / "en.txt", LINES)])
    assert [(sense, one.text, one.translation) for sense, one in row.examples] == [
        (1, "The water of the river is a bank.", ""),
        (2, "A bank is a loan, money and a loan.", ""),
    ]
    assert row.frequency == 5


def test_short_sentences_with_common_words_come_first(tmp_path: Path, mapping: OpenMapping) -> None:
    lines = ["The loan bank is a bank.", "The abstruse bank is a bank.", "The bank is a bank. " * 5]
    sentences = Sentences.read(write(tmp_path / "en.txt", lines), mapping.source)
    found, counts = sentences.with_words({"bank": (), "abstruse": ()})
    assert found == {"bank": [0, 1, 2], "abstruse": [1]}
    assert counts["bank"] == 2 + 2 + 10


def test_sentences_of_the_other_language(tmp_path: Path, mapping: OpenMapping) -> None:
    """Of a corpus that is no translation, any easy sentence with the equivalent."""
    english = write(tmp_path / "en.txt", LINES)
    other = write(tmp_path / "fr.txt", ["Voici la rive.", "Il va à la banque."])
    (row,) = add_examples(bank(), mapping, [english, other])
    assert [one.translation for _, one in row.examples] == ["Voici la rive.", "Il va à la banque."]


def test_sentences_that_are_translations(tmp_path: Path, mapping: OpenMapping) -> None:
    """The line of the same number is taken if it has an equivalent, and none otherwise."""
    english = write(tmp_path / "en.txt", LINES)
    french = ["x", "Un prêt.", "L'eau, la rive.", "La rive.", "banque", "Rien."]
    (row,) = add_examples(bank(), mapping, [english, write(tmp_path / "fr.txt", french)])
    assert [one.translation for _, one in row.examples] == ["L'eau, la rive.", ""]


def test_phrases_are_found(tmp_path: Path, mapping: OpenMapping) -> None:
    lines = ["The river bank is a bank.", "A bank is the river."]
    sentences = Sentences.read(write(tmp_path / "en.txt", lines), mapping.source)
    assert sentences.with_words({"river bank": ("river banks",)})[0] == {"river bank": [0]}
    assert tokens_of("— ice-cream!") == ("ice-cream",)


def test_there_are_one_or_two_corpora(mapping: OpenMapping) -> None:
    with pytest.raises(OptionError, match="3 corpora of examples"):
        add_examples(bank(), mapping, ["a", "b", "c"])
