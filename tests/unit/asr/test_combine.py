"""Votes on words: examples by hand, a slow version, what is refused. The oracle is rover."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.alignment.word_networks import word_networks
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError
from misword.core.types import Corpus
from misword.text.tokens import encode_lists

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=5), min_size=1, max_size=5)


def elected(*systems: str, **options: object) -> str:
    found = misword.combine([[text] for text in systems], **options)  # type: ignore[arg-type]
    return str(found.texts["text"][0])


def slow_network(transcripts: list[list[str]]) -> list[list[str | None]]:
    """The network by the definition: a row of words and gaps for each slot, word by word."""
    single = np.float32
    slots: list[list[str | None]] = [[word] for word in transcripts[0]]
    for number, words in enumerate(transcripts[1:], 1):
        lines = [[[single(3 * b) for b in range(len(words) + 1)]]]
        steps = [[["new"] * (len(words) + 1)]]
        for slot in slots:
            before = [min(column) for column in zip(*lines[-1], strict=True)]
            rows, kinds = [], []
            for known in slot:
                drop = single(0.001) if known is None else single(3)
                row, kind = [before[0] + drop], ["drop"]
                for b, word in enumerate(words, 1):
                    price = 1 if known is None else 0 if known == word else 4
                    both, dropped = before[b - 1] + single(price), before[b] + drop
                    added = row[-1] + single(3)
                    best = min(both, dropped, added)
                    row.append(best)
                    kind.append("both" if both == best else "new" if added == best else "drop")
                rows.append(row)
                kinds.append(kind)
            lines.append(rows)
            steps.append(kinds)
        slots = _merged(slots, words, lines, steps, number)
    return slots


def _merged(
    slots: list[list[str | None]],
    words: list[str],
    lines: list[list[list[np.float32]]],
    steps: list[list[list[str]]],
    number: int,
) -> list[list[str | None]]:
    def first_best(s: int, b: int) -> int:
        column = [row[b] for row in lines[s]]
        return column.index(min(column))

    s, b, merged = len(slots), len(words), []
    arc = first_best(s, b)
    while s or b:
        step = steps[s][arc][b]
        if step == "new":
            b -= 1
            merged.append([words[b], *[None] * number])
            continue
        s -= 1
        if step == "both":
            b -= 1
        merged.append([*slots[s], words[b] if step == "both" else None])
        arc = first_best(s, b)
    return merged[::-1]


@given(TEXTS)
def test_networks_equal_the_slow_version(transcripts: list[list[str]]) -> None:
    networks = word_networks(encode_lists(transcripts), np.array([0, len(transcripts)]))
    slots = slow_network(transcripts)
    assert networks.slots.tolist() == [len(slots)]
    found: list[list[str]] = [[] for _ in slots]
    flat = [word for words in transcripts for word in words]
    for word, slot in zip(flat, networks.slot_of.tolist(), strict=True):
        found[slot].append(word)
    assert list(map(sorted, found)) == [sorted(filter(None, slot)) for slot in slots]


@pytest.mark.parametrize(
    ("systems", "text"),
    [
        (("the cat sat", "a cat sat", "the cat sad"), "the cat sat"),
        (("a c", "a b c", "a b c"), "a b c"),  # two have a word that the first lacks
        (("a b c", "a c", "a c"), "a c"),
        (("b", "a", "c"), "b"),  # of equally many the first
        (("a c", "a b c"), "a b c"),  # a word that only one has
        (("", "a b", ""), ""),
        (("", "", ""), ""),
    ],
)
def test_by_hand(systems: tuple[str, ...], text: str) -> None:
    assert elected(*systems) == text


def test_confidences_by_hand() -> None:
    """x: 1/3 and 0.9; y: 2/3 and 0.3."""
    confidences = [[[0.9]], [[0.3]], [[0.3]]]
    assert elected("x", "y", "y", confidences=confidences, alpha=1) == "y"
    # 0.5 / 3 + 0.5 * 0.9 = 0.617; 0.5 * 2 / 3 + 0.5 * 0.3 = 0.483
    assert elected("x", "y", "y", confidences=confidences, alpha=0.5) == "x"
    # 0.6 of the sum of confidences is that of x: 0.5 / 3 + 0.5 * 0.6 = 0.467, and y has 0.533
    assert elected("x", "y", "y", confidences=confidences, alpha=0.5, method="avgconf") == "y"
    assert elected("x", "y", "y", confidences=confidences, alpha=0.8) == "y"


def test_the_confidence_of_no_word() -> None:
    confidences = [[[0.6]], [[]], [[]]]
    assert elected("x", "", "", confidences=confidences, alpha=0.1) == "x"
    options = {"confidences": confidences, "alpha": 0.1, "null_confidence": 0.9}
    assert elected("x", "", "", **options) == ""


def test_a_word_keeps_its_confidence_when_others_are_normalised_away() -> None:
    confidences = [[[0.1, 0.9]], [[0.2]], [[0.2]]]
    options = {"confidences": confidences, "alpha": 0.0, "normalize": "lower,nopunct"}
    assert elected("- A", "b", "b", **options) == "a"


def test_n_best_lists_vote() -> None:
    corpus = Corpus(
        pl.DataFrame({"utt": ["u", "v"], "text": ["", ""]}),
        pl.DataFrame(
            {"utt": ["u", "u", "u", "v"], "system": "s", "rank": [1, 2, 3, 1],
             "text": ["x", "y", "y", "z"], "score": None}
        ),
    )  # fmt: skip
    found = misword.combine(corpus, ranks=3)
    assert found.texts.rows() == [("u", "y", 3), ("v", "z", 1)]
    assert any("fewer than 3" in note for note in found.notes)
    with pytest.raises(OptionError, match="nothing to vote on"):
        misword.combine(corpus)


def test_rates_and_tests() -> None:
    references = ["a b c", "d e f", "g h i"] * 4
    systems = {
        "one": ["x b c", "d e f", "g h i"] * 4,
        "two": ["a b c", "d x f", "g h i"] * 4,
        "three": ["a b c", "d e f", "g x i"] * 4,
    }
    found = misword.combine(systems, references=references)
    assert found.rates is not None
    rates = dict(found.rates.select("system", "rate").rows())
    assert rates == {"one": 1 / 9, "two": 1 / 9, "three": 1 / 9, "combined": 0}
    ours = found.rates.filter(system="one").row(0, named=True)
    assert ours["difference"] == pytest.approx(-1 / 9)
    alone = misword.compare(references, {"a": systems["one"], "b": references}, "wer")
    assert ours["p"] == alone.differences["p"][0]
    assert ours["p_holm"] == pytest.approx(min(1, 3 * ours["p"]))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"alpha": 0.5}, InputError, "need confidences unless alpha is 1"),
        ({"alpha": 2}, OptionError, "alpha is 2"),
        ({"method": "best"}, OptionError, "'best'"),
        ({"null_confidence": -1}, OptionError, "null_confidence is -1"),
        ({"ranks": 0}, OptionError, "ranks is 0"),
        ({"confidences": [[[0.5]]], "alpha": 0.5}, MismatchError, "confidences of 1 texts"),
        ({"confidences": [[[0.5]], [[]]], "alpha": 0.5}, InputError, "has 1 words in utterance"),
        ({"confidences": [[[0.5]], [[3.0]]], "alpha": 0.5}, InputError, "a confidence is 3.0"),
        ({"references": True}, OptionError, "references=True needs a Corpus"),
        ({"references": ["a", "b"]}, MismatchError, "2 references, 1 hypotheses"),
    ],
)
def test_what_is_refused(
    arguments: dict[str, object], error: type[MiswordError], message: str
) -> None:
    with pytest.raises(error, match=message):
        misword.combine([["a"], ["b"]], **arguments)  # type: ignore[arg-type]


def test_systems_with_other_utterances_are_refused() -> None:
    with pytest.raises(MismatchError):
        misword.combine([["a", "b"], ["a"]])
    with pytest.raises(OptionError, match="called 'combined'"):
        misword.combine({"combined": ["a"], "b": ["a"]})
    with pytest.raises(InputError, match="no systems"):
        misword.combine([])


def test_long_texts_are_refused() -> None:
    tokens = encode_lists([["a"] * 40_000, ["a"]])
    with pytest.raises(InputError, match="too long to be combined: 40,000 words"):
        word_networks(tokens, np.array([0, 2]))
