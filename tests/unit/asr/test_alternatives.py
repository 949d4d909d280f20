"""Alternatives and equivalents: the best reading against a search over all readings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from alternatives_oracle import Sequences, expand, parse, write
from brute import matrix
from misword.asr.forgiving.equivalents import read_equivalents
from misword.core.errors import InputError, OptionError


def words_of(letters: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(letters), max_size=6).map(" ".join)


def wer_counts(ref: str, hyp: str, **options: object) -> tuple[int, int, int, int]:
    scores = misword.score([ref], [hyp], "wer", **options)  # type: ignore[arg-type]
    return tuple(scores.statistics("wer")[0].tolist())


@pytest.mark.parametrize(
    ("ref", "hyp", "counts"),
    [
        ("so { um / @ } we go", "so we go", (3, 0, 0, 0)),
        ("so { um / @ } we go", "so um we go", (4, 0, 0, 0)),
        ("so {um / @} we go", "so uh we go", (3, 1, 0, 0)),
        ("i am {gonna / going to} go", "i am going to go", (5, 0, 0, 0)),
        ("i am {gonna / going to} go", "i am gonna go", (4, 0, 0, 0)),
        ("a { b / c { d / e f } } g", "a c e f g", (5, 0, 0, 0)),
        ("{ a / b } { c / d }", "b d", (2, 0, 0, 0)),
        ("{ a / @ }", "", (0, 0, 0, 0)),
        ("pre{a / b}post", "pre b post", (3, 0, 0, 0)),
        ("{laugh} and / or {x}", "{laugh} and / or {x}", (5, 0, 0, 0)),
        ("@ sign", "@ sign", (2, 0, 0, 0)),
        ("mail @ { home / work }", "mail @ work", (3, 0, 0, 0)),
        ("{ { a / b } }", "{ b }", (3, 0, 0, 0)),
        ("{laugh {uh / um}}", "{laugh um }", (3, 0, 0, 0)),
        ("\ue0000\ue001 {a / b}", "\ue0000\ue001 a", (2, 0, 0, 0)),
        ("a } { b / c }", "a } c", (3, 0, 0, 0)),
        ("the { fi /@ } cat", "the cat", (2, 0, 0, 0)),
        ("the {fi/@} cat", "the cat", (2, 0, 0, 0)),
        ("the {@/ fi} cat", "the cat", (2, 0, 0, 0)),
        ("the {fi /@ / fo} cat", "the fo cat", (3, 0, 0, 0)),
        # Without a slash that stands alone or beside `@`, braces are plain text.
        (
            "use {@/api} {a/b} {x/@b} {m@/ n}",
            "use {@/api} {a/b} {x/@b} {m@/ n}",
            (6, 0, 0, 0),
        ),
    ],
)
def test_alternatives(ref: str, hyp: str, counts: tuple[int, ...]) -> None:
    assert wer_counts(ref, hyp) == counts


def test_alternatives_can_be_switched_off() -> None:
    assert sum(wer_counts("{ a / b }", "b", alternatives=False)) == 5


def test_alternatives_are_read_before_normalizing() -> None:
    options = {"normalize": "nfc,lower,nopunct"}
    assert wer_counts("So, { Um, / @ } we GO!", "so we go", **options) == (3, 0, 0, 0)


def test_alternatives_nested_too_deep() -> None:
    text = "{ a / " * 60 + "b" + " }" * 60
    with pytest.raises(InputError, match="60 levels deep"):
        misword.score([text], ["b"])


def test_alternatives_unmatched_brace() -> None:
    with pytest.raises(InputError, match=r"utterance '2': braces do not match in 'a \{ b / c'"):
        misword.score(["x", "a { b / c"], ["x", "a b"])


def test_every_metric_sees_the_chosen_reading() -> None:
    scores = misword.score(["{ colour / color } me"], ["color me"])
    assert (scores["wer"], scores["cer"]) == (0.0, 0.0)


def test_each_system_has_its_own_reading() -> None:
    scores = misword.score(["ok { um / @ }"], {"a": ["ok um"], "b": ["ok"]}, "wer")
    assert scores.summary(bootstrap=0)["hits"].to_list() == [2, 1]
    assert scores["wer", "a"] == scores["wer", "b"] == 0.0


@pytest.mark.parametrize(
    ("ref", "hyp", "counts"),
    [
        ("i am going to go", "i am gonna go", (5, 0, 0, 0)),
        ("i am gonna go", "i am going to go", (4, 0, 0, 0)),
        ("i am going to go", "i am going to go", (5, 0, 0, 0)),
        ("okay then", "o k then", (2, 0, 0, 0)),
        ("okay then", "oh then", (1, 1, 0, 0)),
        ("going to town to go", "gonna town to go", (5, 0, 0, 0)),
        ("{ yes / going to } ok", "gonna okay", (3, 0, 0, 0)),
    ],
)
def test_equivalents(ref: str, hyp: str, counts: tuple[int, ...]) -> None:
    """The hits are the words of the reference as it is written."""
    classes = [["gonna", "going to"], ["ok", "okay", "o k"]]
    assert wer_counts(ref, hyp, equivalents=classes) == counts


def test_equivalents_of_overlapping_classes_are_one() -> None:
    classes = [["ok", "okay"], ["fine", "good"], ["okay", "o k"]]
    assert wer_counts("ok", "o k", equivalents=classes) == (1, 0, 0, 0)
    assert wer_counts("ok", "fine", equivalents=classes) == (0, 1, 0, 0)


def test_equivalents_may_be_nothing() -> None:
    assert wer_counts("so um yes", "so yes", equivalents=[["um", "@"]]) == (3, 0, 0, 0)
    assert wer_counts("so um yes", "so um yes", equivalents=[["um", "@"]]) == (3, 0, 0, 0)


@pytest.mark.parametrize(
    ("ref", "hyp", "counts"),
    [
        # Left out of the hypothesis, of the reference, and of neither.
        ("so you know yes", "so yes", (4, 0, 0, 0)),
        ("so yes", "so you know yes", (2, 0, 0, 0)),
        ("so you know yes", "so you know yes", (4, 0, 0, 0)),
        # First, last and only words.
        ("you know yes you know", "yes", (5, 0, 0, 0)),
        ("yes", "you know yes you know you know", (1, 0, 0, 0)),
        ("you know", "", (2, 0, 0, 0)),
        ("", "you know", (0, 0, 0, 0)),
        # Another form of the class, of one word, also in place of the phrase.
        ("so you know yes", "so y'know yes", (4, 0, 0, 0)),
        ("so y'know yes", "so yes", (3, 0, 0, 0)),
        ("so yes", "y'know so yes y'know", (2, 0, 0, 0)),
        # Another phrase that may be left out.
        ("so you know yes", "so i mean yes", (4, 0, 0, 0)),
        # A part of a phrase, its words in another order, and words around it count.
        ("so you know yes", "so you yes", (3, 0, 0, 1)),
        ("so yes", "so know yes", (2, 0, 1, 0)),
        ("so yes", "so know you yes", (2, 0, 2, 0)),
        ("so you know it yes", "so yes", (4, 0, 0, 1)),
        ("so you really know yes", "so yes", (2, 0, 0, 3)),
        # Within an alternative, but not across its signs.
        ("so { you know / well } yes", "so yes", (4, 0, 0, 0)),
        ("so you { know / see } yes", "so yes", (2, 0, 0, 2)),
    ],
)
def test_phrases_may_be_left_out(ref: str, hyp: str, counts: tuple[int, ...]) -> None:
    """On both sides, as a whole; the hits are the words of the reference as it is written."""
    classes = [["you know", "y'know", "@"], ["i mean", "@"]]
    assert wer_counts(ref, hyp, equivalents=classes) == counts


def test_phrases_without_nothing_may_not_be_left_out() -> None:
    classes = [["you know", "y'know"], ["um", "@"]]
    assert wer_counts("so you know yes", "so yes", equivalents=classes) == (2, 0, 0, 2)
    assert wer_counts("so yes", "so you know yes", equivalents=classes) == (2, 0, 2, 0)


@pytest.mark.parametrize("classes", [["xy"], [["alone"]], [["...", "sat"]]])
def test_equivalents_that_are_none(classes: list[list[str]]) -> None:
    with pytest.raises(OptionError, match="not a class of equivalents"):
        misword.score(["a"], ["a"], equivalents=classes, normalize="nopunct")


@pytest.mark.slow
@given(st.lists(st.tuples(words_of("abc"), words_of("abc")), min_size=1, max_size=4))
def test_equivalents_that_match_nothing_change_nothing(pairs: list[tuple[str, str]]) -> None:
    refs, hyps = [ref for ref, _ in pairs], [hyp for _, hyp in pairs]
    without = misword.score(refs, hyps, "wer,cer", normalize="lower,nfkc")
    same = [["x", "y z"]]
    with_them = misword.score(refs, hyps, "wer,cer", normalize="lower,nfkc", equivalents=same)
    assert without.table.equals(with_them.table.select(without.table.columns))


def test_equivalents_do_not_normalize_twice() -> None:
    options = {"normalize": "lower,nfkc", "equivalents": [["a", "the"]]}
    assert wer_counts("ℌ a", "ℌ a", **options) == (2, 0, 0, 0)


def test_equivalents_are_normalized_and_signed() -> None:
    scores = misword.score(["OKAY"], ["ok"], "wer", normalize="lower", equivalents=[["Ok", "Okay"]])
    assert scores["wer"] == 0.0
    other = misword.score(["a"], ["a"], "wer", normalize="lower")
    assert any("equivalents" in named for named in scores.columns[0].signature.differences(
        other.columns[0].signature))  # fmt: skip


def test_equivalents_file(tmp_path: Path) -> None:
    path = tmp_path / "same.txt"
    lines = ["# British", "gonna / going to", "", "ok, okay,o k", "colour\tcolor", "#"]
    lines += ["1,000 / one thousand", "3,5, three point five", "#1 / number one"]
    path.write_text("\n".join(lines), "utf-8")
    assert read_equivalents(path) == [
        ["gonna", "going to"],
        ["ok", "okay", "o k"],
        ["colour", "color"],
        ["1,000", "one thousand"],
        ["3,5", "three point five"],
        ["#1", "number one"],
    ]
    path.write_text("fine / good\nalone\n", "utf-8")
    with pytest.raises(InputError, match=r"same\.txt:2: only one form: 'alone'"):
        read_equivalents(path)
    with pytest.raises(InputError, match="no such file"):
        read_equivalents(tmp_path / "missing.txt")


word = st.sampled_from("abc")
sequences: st.SearchStrategy[Sequences] = st.recursive(
    st.lists(word, max_size=3),
    lambda inner: st.lists(st.one_of(word, st.lists(inner, min_size=2, max_size=3)), max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@given(sequences, st.lists(word, max_size=6))
def test_reading_is_the_best_of_all(sequence: Sequences, hyp: list[str]) -> None:
    assert parse(write(sequence)) == sequence
    readings = expand(sequence)
    errors = [matrix([ord(w) for w in r], [ord(w) for w in hyp])[-1][-1] for r in readings]
    scores = misword.score([write(sequence)], [" ".join(hyp)], "wer")
    assert scores.statistics("wer")[0, 1:].sum() == min(errors)
    chosen = misword.align([write(sequence)], [" ".join(hyp)])
    said = [step.reference for step in chosen.steps(0) if step.reference is not None]
    assert said in readings


def test_first_alternative_wins_a_tie() -> None:
    ref = "{ a b / c d } x { e / f }"
    said = [step.reference for step in misword.align([ref], ["z z x z"]).steps(0)]
    assert said == ["a", "b", "x", "e"]


@pytest.mark.slow
def test_a_long_reference_with_an_alternative() -> None:
    words = [f"w{i % 900}" for i in range(5000)]
    ref = [*words[:2500], "{ um / @ }", *words[2500:]]
    assert wer_counts(" ".join(ref), " ".join(words)) == (5000, 0, 0, 0)
