"""Alternatives and equivalents: the best reading against trying all of them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from brute import matrix
from misword.alignment.lattice import Lattice
from misword.asr.readings import Sequences, parse, read_equivalents
from misword.core.errors import InputError


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
    ],
)
def test_alternatives(ref: str, hyp: str, counts: tuple[int, ...]) -> None:
    assert wer_counts(ref, hyp) == counts


def test_alternatives_can_be_switched_off() -> None:
    assert sum(wer_counts("{ a / b }", "b", alternatives=False)) == 5


def test_alternatives_are_read_before_normalizing() -> None:
    options = {"normalize": "nfc,lower,nopunct"}
    assert wer_counts("So, { Um, / @ } we GO!", "so we go", **options) == (3, 0, 0, 0)


def test_alternatives_unmatched_brace() -> None:
    with pytest.raises(InputError, match=r"utterance '2': braces do not match in 'a \{ b / c'"):
        misword.score(["x", "a { b / c"], ["x", "a b"])


def test_every_metric_sees_the_chosen_reading() -> None:
    scores = misword.score(["{ colour / color } me"], ["color me"])
    assert (scores["wer"], scores["cer"]) == (0.0, 0.0)


def test_each_system_has_its_own_reading() -> None:
    scores = misword.score(["ok { um / @ }"], {"a": ["ok um"], "b": ["ok"]}, "wer")
    assert scores.summary(bootstrap=0)["hits"].to_list() == [2, 1]
    assert scores["wer"] == 0.0


@pytest.mark.parametrize(
    ("ref", "hyp", "counts"),
    [
        ("i am going to go", "i am gonna go", (4, 0, 0, 0)),
        ("i am gonna go", "i am going to go", (5, 0, 0, 0)),
        ("i am going to go", "i am going to go", (5, 0, 0, 0)),
        ("okay then", "o k then", (3, 0, 0, 0)),
        ("okay then", "oh then", (1, 1, 0, 0)),
        ("going to town to go", "gonna town to go", (4, 0, 0, 0)),
        ("{ yes / going to } ok", "gonna okay", (2, 0, 0, 0)),
    ],
)
def test_equivalents(ref: str, hyp: str, counts: tuple[int, ...]) -> None:
    classes = [["gonna", "going to"], ["ok", "okay", "o k"]]
    assert wer_counts(ref, hyp, equivalents=classes) == counts


def test_equivalents_are_normalized_and_signed() -> None:
    scores = misword.score(["OKAY"], ["ok"], "wer", normalize="lower", equivalents=[["Ok", "Okay"]])
    assert scores["wer"] == 0.0
    other = misword.score(["a"], ["a"], "wer", normalize="lower")
    assert any("equivalents" in named for named in scores.columns[0].signature.differences(
        other.columns[0].signature))  # fmt: skip


def test_equivalents_file(tmp_path: Path) -> None:
    path = tmp_path / "same.txt"
    path.write_text("# British\ngonna / going to\n\nok, okay,o k\ncolour\tcolor\n", "utf-8")
    assert read_equivalents(path) == [
        ["gonna", "going to"],
        ["ok", "okay", "o k"],
        ["colour", "color"],
    ]
    path.write_text("fine / good\nalone\n", "utf-8")
    with pytest.raises(InputError, match=r"same\.txt, line 2: only one form: 'alone'"):
        read_equivalents(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_equivalents(tmp_path / "missing.txt")


word = st.sampled_from("abc")
sequences: st.SearchStrategy[Sequences] = st.recursive(
    st.lists(word, max_size=3),
    lambda inner: st.lists(st.one_of(word, st.lists(inner, min_size=2, max_size=3)), max_size=3),
    max_leaves=6,
)


def write(sequence: Sequences) -> str:
    return " ".join(
        item if isinstance(item, str) else "{ " + " / ".join(write(s) or "@" for s in item) + " }"
        for item in sequence
    )


def expand(sequence: Sequences) -> list[list[str]]:
    options = [
        [[item]] if isinstance(item, str) else [words for s in item for words in expand(s)]
        for item in sequence
    ]
    return [[word for part in chosen for word in part] for chosen in product(*options)]


@given(sequences, st.lists(word, max_size=6))
def test_reading_is_the_best_of_all(sequence: Sequences, hyp: list[str]) -> None:
    assert parse(write(sequence), "here") == sequence
    readings = expand(sequence)
    errors = [matrix([ord(w) for w in r], [ord(w) for w in hyp])[-1][-1] for r in readings]
    scores = misword.score([write(sequence)], [" ".join(hyp)], "wer")
    assert scores.statistics("wer")[0, 1:].sum() == min(errors)
    chosen = misword.align([write(sequence)], [" ".join(hyp)])
    said = [step.reference for step in chosen.steps(0) if step.reference is not None]
    assert said in readings


def test_first_alternative_wins_a_tie() -> None:
    lattice = Lattice()
    end = lattice.node()
    lattice.edges += [(0, end, ("first",)), (0, end, ("second",))]
    assert lattice.reading(["other"]) == ["first"]
