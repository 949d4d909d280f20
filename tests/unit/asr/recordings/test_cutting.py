"""Recordings that are cut at the segments of references: numbers, words and settings."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.core.errors import OptionError
from misword.core.types import Corpus, Segments
from misword.io.transcripts.words import word_table

PLAIN = ("a", "b", "c", "uh", "you", "know")
WRITTEN = (
    *("twenty", "five", "25", "2", "thousand", "hundred", "20", "5", "%", "percent"),
    *("something", "some", "thing", "we're", "we", "are", "uh", "Dr.", "doctor", "you", "know"),
    *("US", "us", "-", "okay", "ok", "a"),
)


def corpus(segments: list[list[str]], hypotheses: list[str], mode: str = "transfer") -> Corpus:
    """Return recordings that are still to be cut or joined."""
    names = [f"r{number}" for number in range(len(segments))]
    rows = [
        (f"{name}-{number}", text, name)
        for name, texts in zip(names, segments, strict=True)
        for number, text in enumerate(texts)
    ]
    references = pl.DataFrame(rows, ("utt", "text", "recording"), orient="row")
    whole = pl.DataFrame({"utt": names, "text": names})
    made = Corpus.of(whole, {"one": pl.Series(hypotheses)})
    return Corpus(references, made.hypotheses, None, Segments(mode))


def errors_by_recording(scores: misword.Scores) -> list[int]:
    table = scores.table
    names = table["recording"] if "recording" in table.columns else table["utt"]
    kinds = [f"wer.{kind}" for kind in ("substitutions", "insertions", "deletions")]
    sums = table.select(names.alias("name"), errors=pl.sum_horizontal(kinds))
    return sums.group_by("name", maintain_order=True).sum()["errors"].to_list()


def texts(words: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words), max_size=5).map(" ".join)


def recordings(words: tuple[str, ...]) -> st.SearchStrategy[list[tuple[list[str], list[str]]]]:
    one = st.tuples(
        st.lists(texts(words), min_size=1, max_size=4), st.lists(texts(words), max_size=3)
    )
    return st.lists(one, min_size=1, max_size=2)


def assert_adds_up(drawn: list[tuple[list[str], list[str]]], **options: Any) -> None:
    segments = [segments for segments, _ in drawn]
    heard = [" ".join(" ".join(parts).split()) for _, parts in drawn]
    found = [
        errors_by_recording(misword.score(corpus(segments, heard, mode), metrics="wer", **options))
        for mode in ("transfer", "recording")
    ]
    assert found[0] == found[1]


@given(recordings(PLAIN))
def test_errors_of_segments_are_those_of_the_recording(
    drawn: list[tuple[list[str], list[str]]],
) -> None:
    assert_adds_up(drawn)


@given(recordings(WRITTEN))
@settings(max_examples=60)
def test_errors_add_up_where_differences_of_writing_are_forgiven(
    drawn: list[tuple[list[str], list[str]]],
) -> None:
    assert_adds_up(drawn, forgive="writing", lang="en")


@given(recordings(("Some-thing", "some", "thing", "A,", "a", "-", "b")))
@settings(max_examples=60)
def test_errors_add_up_where_normalizers_divide_words(
    drawn: list[tuple[list[str], list[str]]],
) -> None:
    def apart(text: str) -> str:
        return text.lower().replace("-", " ").replace(",", "")

    assert_adds_up(drawn, normalize=[misword.normalizer(apart, name="apart")])


@given(recordings(("{ a / b c / @ }", "{ @ / d }", "a", "b", "c", "d")))
@settings(max_examples=60)
def test_errors_add_up_with_alternatives(drawn: list[tuple[list[str], list[str]]]) -> None:
    plain = [
        (said, [word for word in " ".join(heard).split() if word in "abcd"])
        for said, heard in drawn
    ]
    assert_adds_up(plain)


@given(recordings(("a", "b", "x", "y", "z")))
@settings(max_examples=60)
def test_errors_add_up_with_equivalents(drawn: list[tuple[list[str], list[str]]]) -> None:
    assert_adds_up(drawn, equivalents=[["a b", "x"], ["y", "z b"], ["z", "@"]])


def test_texts_are_cut_and_the_signature_names_it() -> None:
    scores = misword.score(corpus([["a b", "c d"]], ["a x c d e"]), metrics="wer")
    cut = scores.texts()
    assert cut["hypothesis"].to_list() == ["a x", "c d e"]
    assert scores.table["utt"].to_list() == ["r0-0", "r0-1"]
    assert dict(scores.columns[0].signature.settings)["segments"] == "transfer"
    joined = misword.score(corpus([["a b", "c d"]], ["a x c d e"], "recording"), metrics="wer")
    assert joined.texts()["reference"].to_list() == ["a b c d"]
    assert dict(joined.columns[0].signature.settings)["segments"] == "recording"


def test_texts_are_cut_as_they_are_written() -> None:
    scores = misword.score(
        corpus([["it is twenty", "five Of them"]], ["It is Twenty-five - of them."]),
        metrics="wer",
        normalize=[misword.normalizer(lambda t: t.lower().replace("-", " ").strip("."), "n")],
    )
    # A written word that belongs to two segments is divided as it was normalised.
    assert scores.texts()["hypothesis"].to_list() == ["It is twenty", "five - of them."]
    assert scores["wer"] == 0


def test_numbers_are_not_read_across_speakers() -> None:
    one = corpus([["so twenty", "five people"]], ["so 25 people"])
    two = corpus([["so twenty", "five people"]], ["so 25 people"], "recording")
    rates = [
        misword.score(each, metrics="wer", forgive="numbers", lang="en") for each in (one, two)
    ]
    assert [errors_by_recording(scores) for scores in rates] == [[2], [2]]


def test_words_keep_their_times_and_places() -> None:
    whole = corpus([["a b", "c"]], ["a c c"])
    heard = pl.DataFrame(
        {"word": ["a", "c", "c"], "begin": [0.0, 0.5, 2.0], "end": [0.4, 0.9, 2.4]}
    )
    spoken = pl.DataFrame({"word": ["a", "b", "c"], "speaker": ["x", "x", "y"]})
    spoken = spoken.with_columns(utt=pl.Series(["r0-0", "r0-0", "r0-1"]))
    words = pl.concat(
        [
            word_table(spoken).with_columns(system=pl.lit("")),
            word_table(heard, "r0").with_columns(system=pl.lit("one")),
        ]
    )
    whole = Corpus(whole.references, whole.hypotheses, words, whole.segments)
    aligned = misword.align(whole)
    found = aligned.pairs.source.words_of("one")
    assert found is not None
    assert found.select("utt", "place", "begin").rows() == [
        ("r0-0", 0, 0.0),
        ("r0-0", 1, 0.5),
        ("r0-1", 0, 2.0),
    ]


def test_functions_that_do_not_cut_say_so() -> None:
    with pytest.raises(OptionError, match="divided into different segments") as caught:
        misword.oracle(corpus([["a", "b"]], ["a b"]))
    assert "misword segment" in str(caught.value.fix)


@pytest.mark.parametrize(("recordings", "block"), [(12, "recording"), (4, "")])
def test_recordings_are_the_blocks_of_a_comparison(recordings: int, block: str) -> None:
    segments = [["a b c d", "e f g h"] for _ in range(recordings)]
    whole = corpus(segments, ["a b c d e f g h"] * recordings)
    worse = whole.hypotheses.with_columns(
        pl.lit("two").alias("system"), pl.lit("a b x d e f g").alias("text")
    )
    both = Corpus(whole.references, pl.concat([whole.hypotheses, worse]), None, whole.segments)
    compared = misword.compare(both, metrics="wer", bootstrap=20)
    assert compared.block == block
    title = compared.overview().title
    assert "two is worse than one" in title
    assert ("4 recordings are too few for a test by recording" in title) == (not block)
