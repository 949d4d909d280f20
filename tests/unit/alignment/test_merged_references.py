"""Several references merged by spans: hand-worked examples, laws, and a slow exact oracle."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.alignment.several_references import Place, check_rule, merge_references
from misword.core.errors import OptionError

WORDS = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
ROWS = st.lists(WORDS, min_size=3, max_size=5)


def merged(*texts: str, rule: str = "any") -> str:
    return merge_references([[text] for text in texts], check_rule(rule)).texts[0]


def errors(reference: str, hypothesis: str) -> int:
    row = misword.score([reference], [hypothesis], "wer").table.row(0, named=True)
    return sum(int(row[f"wer.{name}"]) for name in ("substitutions", "deletions", "insertions"))


def test_places_are_as_small_as_shared_words_allow() -> None:
    assert merged("the cat sat down", "a cat sat up") == "{ the / a } cat sat { down / up }"
    assert merged("a b", "a x b") == "a { @ / x } b"
    assert merged("a x b", "a b") == "a { x / @ } b"
    # Neighbours that different references change are places of their own.
    assert merged("p a b q", "p x b q", "p a y q") == "p { a / x } { b / y } q"
    # An insertion joins the difference that it touches: either may hold it.
    assert merged("a b", "a x b", "q x b") == "{ a / a x / q x } b"


def test_writing_does_not_hide_shared_words() -> None:
    assert merged("So, we met.", "so we met") == "{ So, / so } we { met. / met }"


def test_alternatives_of_a_reference_are_one_word() -> None:
    assert merged("{ a / b } c", "b d") == "{ { a / b } c / b d }"
    assert merged("x { a / b } c", "x { a / b } d") == "x { a / b } { c / d }"


def test_majority() -> None:
    # The second rows differ, so that no reference is a copy of another one.
    columns = [["a x c", "k"], ["a b c", "l"], ["a b c", "m"]]
    assert merge_references(columns, "majority").texts == ("a b c", "{ k / l / m }")
    assert merge_references([["a b", "k"], ["a", "l"], ["a", "m"]], "majority").texts[0] == "a"
    assert merged("a x c", "a b c", rule="majority") == "a { x / b } c"
    assert merged("a x", "b x", "c x", rule="majority") == "{ a / b / c } x"
    assert Place(0, 0, 1, ("x", "b", "c"), (1, 2, 2)).accepted("majority") == ("b", "c")


def test_whole_texts() -> None:
    assert merged("the cat", "a cat", rule="whole") == "{ the cat / a cat }"


def test_votes_are_counted() -> None:
    places = merge_references(
        [["a b c", "k"], ["a x c", "k"], ["a x c", "l"], ["a y c", "k"]]
    ).places
    assert [(one.start, one.end, one.texts, one.votes) for one in places] == [
        (1, 2, ("b", "x", "y"), (1, 2, 1)),
        (0, 1, ("k", "l"), (3, 1)),
    ]


def test_words_that_would_be_signs_are_left_out() -> None:
    found = merge_references([["and / or"], ["x"]])
    assert (found.texts, found.left_out) == (("{ and or / x }",), 1)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown rule 'most'"):
        check_rule("most")


@settings(max_examples=60)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_other_references_does_not_matter(rows: list[str], random: object) -> None:
    others = rows[1:]
    random.shuffle(others)  # type: ignore[attr-defined]
    for rule in ("any", "majority"):
        assert merged(rows[0], *others, rule=rule) == merged(*rows, rule=rule)


@settings(max_examples=60)
@given(ROWS, st.integers(0, 4))
def test_a_copy_of_a_reference_changes_nothing(rows: list[str], number: int) -> None:
    copy = rows[number % len(rows)]
    for rule in ("any", "majority", "whole"):
        assert merged(*rows, copy, rule=rule) == merged(*rows, rule=rule)


@settings(max_examples=60)
@given(ROWS)
def test_each_reference_is_a_reading_of_all(rows: list[str]) -> None:
    table = misword.score([merged(*rows)] * len(rows), rows, "wer").table
    wrong = table.select("wer.substitutions", "wer.insertions", "wer.deletions")
    assert wrong.sum_horizontal().to_list() == [0] * len(rows)


@settings(max_examples=40)
@given(ROWS, WORDS)
def test_any_forgives_at_least_what_whole_texts_do(rows: list[str], heard: str) -> None:
    assert errors(merged(*rows), heard) <= errors(merged(*rows, rule="whole"), heard)


def exact(pieces: list[list[list[str]]], heard: list[str]) -> int:
    """The fewest errors over all choices of alternatives, by plain recursion over the places."""

    @lru_cache(None)
    def best(piece: int, at: int) -> int:
        if piece == len(pieces):
            return len(heard) - at
        costs = []
        for words in pieces[piece]:
            row = list(range(len(heard) - at + 1))  # distances of no word to each prefix
            for word in words:
                new = [row[0] + 1]
                for j, (left, above) in enumerate(pairwise(row)):
                    new.append(min(new[-1] + 1, above + 1, left + (word != heard[at + j])))
                row = new
            costs += [cost + best(piece + 1, at + j) for j, cost in enumerate(row)]
        return min(costs)

    return best(0, 0)


@settings(max_examples=60)
@given(ROWS, WORDS)
def test_errors_are_those_of_an_exact_search(rows: list[str], heard: str) -> None:
    found = merge_references([[row] for row in rows])
    words, pieces, at = rows[0].split(), [], 0
    for place in found.places:
        pieces += [[[word]] for word in words[at : place.start]]
        pieces.append([text.split() for text in place.texts])
        at = place.end
    pieces += [[[word]] for word in words[at:]]
    assert errors(found.texts[0], heard) == exact(pieces, heard.split())
