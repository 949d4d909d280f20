"""Errors of the times of words: by hand, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.core.errors import InputError, OptionError
from misword.io.transcripts.words import complete_words

Timed = list[tuple[str, float, float]]
SAID: Timed = [("a", 0.0, 0.5), ("b", 1.0, 1.5), ("c", 2.0, 2.5), ("d", 3.0, 3.5)]


def corpus_of(folder: Path, said: Timed, heard: Timed) -> misword.Corpus:
    files = []
    for name, words in (("ref.ctm", said), ("hyp.ctm", heard)):
        files.append(folder / name)
        files[-1].write_text("".join(f"r 1 {b:.3f} {e - b:.3f} {word}\n" for word, b, e in words))
    return misword.read_corpus(*files)[0]


def test_by_hand(tmp_path: Path) -> None:
    # b is on time, c begins 0.1 s late, d ends 0.4 s late, a is wrong and x is inserted.
    heard = [("z", 0.0, 0.5), ("b", 1.0, 1.5), ("x", 1.6, 1.8), ("c", 2.1, 2.5), ("d", 3.0, 3.9)]
    corpus = corpus_of(tmp_path, SAID, heard)
    scores = misword.score(
        corpus, metrics="word-times,word-times:tolerance=0.1,word-times:tolerance=0"
    )
    assert scores.summary(bootstrap=0)["rate"].to_list() == [1 / 3, 1 / 3, 2 / 3]
    begin, end = scores.result(bootstrap=10).tables["word_time_errors"].to_dicts()
    assert (begin["words"], begin["coverage"]) == (4, 0.75)
    assert begin["bias"] == pytest.approx(0.1 / 3)
    assert (begin["median"], begin["within50"], begin["within100"]) == (
        0.0,
        pytest.approx(2 / 3),
        1.0,
    )
    assert end["mean"] == pytest.approx(0.4 / 3)
    assert end["p90"] == pytest.approx(0.32)
    assert (end["within50"], end["within200"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


@settings(max_examples=30)
@given(st.floats(-5, 5), st.lists(st.sampled_from("abc"), min_size=1, max_size=12))
def test_a_shift_is_the_bias(shift: float, words: list[str]) -> None:
    text = " ".join(words)
    frame = pl.DataFrame({"utt": ["r"], "text": [text]})
    corpus = complete_words(misword.Corpus.of(frame, {"s": pl.Series([text])}))
    assert corpus.words is not None
    later = pl.when(pl.col("system") == "s").then(shift).otherwise(0.0)
    begin = pl.col("place") + later
    corpus = replace(corpus, words=corpus.words.with_columns(begin=begin, end=begin + 0.5))
    scores = misword.score(corpus, metrics="word-times")
    assert scores["word-times"] == float(abs(shift) > 0.2 + 1e-9)
    for row in scores.result(bootstrap=10).tables["word_time_errors"].to_dicts():
        assert row["bias"] == pytest.approx(shift, abs=1e-9)
        assert [row["mean"], row["p90"]] == pytest.approx([abs(shift)] * 2, abs=1e-9)
    out = any("out as a whole" in note for note in scores.notes)
    assert out == (abs(shift) > 1 and len(words) >= 10)


def test_words_with_the_times_of_their_segment_are_left_out(tmp_path: Path) -> None:
    said = [("a", 0.0, 2.0), ("b", 0.0, 2.0), ("c", 2.0, 2.5)]
    scores = misword.score(corpus_of(tmp_path, said, SAID), metrics="word-times")
    columns = scores.table.select("^word-times.*$").row(0)
    assert columns == (0, 1, 1)


def test_words_that_normalisation_divides_are_left_out(tmp_path: Path) -> None:
    said = [("a-b", 0.0, 1.0), ("c", 2.0, 2.5)]
    heard = [("a", 0.7, 1.0), ("b", 1.6, 1.9), ("c", 2.0, 2.5)]
    corpus = corpus_of(tmp_path, said, heard)
    scores = misword.score(corpus, metrics="word-times", normalize="whisper")
    assert scores.table.select("^word-times.*$").row(0) == (0, 1, 1)


def test_rows_can_be_chosen_and_compared(tmp_path: Path) -> None:
    late = [(word, begin + 0.3, end + 0.3) for word, begin, end in SAID]
    for name, words in (("ref", SAID), ("good", SAID), ("late", late)):
        lines = [f"{r} 1 {b:.3f} {e - b:.3f} {word}\n" for r in "pq" for word, b, e in words]
        (tmp_path / f"{name}.ctm").write_text("".join(lines))
    corpus, _ = misword.read_corpus(
        tmp_path / "ref.ctm", [tmp_path / "good.ctm", tmp_path / "late.ctm"]
    )
    scores = misword.score(corpus, metrics="word-times")
    chosen = scores.filter(system="late").result(bootstrap=10).tables["word_time_errors"]
    assert chosen["system"].unique().to_list() == ["late"]
    scores.save(tmp_path / "saved")
    loaded = misword.load(tmp_path / "saved").result(bootstrap=10).tables["word_time_errors"]
    assert loaded.equals(scores.result(bootstrap=10).tables["word_time_errors"])
    differences = misword.compare(scores).tables["differences"].to_dicts()
    assert [row["difference"] for row in differences] == [1.0]


def test_errors_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="words of the references have no times"):
        misword.score(["a"], ["a"], "word-times")
    stm = tmp_path / "ref.stm"
    stm.write_text("r 1 x 0 2 a b\n")
    (tmp_path / "hyp.stm").write_text("r 1 x 0 2 a b\n")
    with pytest.raises(InputError, match="times of their segments"):
        misword.score(misword.read_corpus(stm, tmp_path / "hyp.stm")[0], metrics="word-times")
    corpus: Any = corpus_of(tmp_path, SAID, SAID)
    with pytest.raises(OptionError, match="tolerance is -1"):
        misword.score(corpus, metrics="word-times:tolerance=-1")


# Times of segments.

CUES = [("so how are you", 0.0, 1.5), ("i am very well", 2.0, 3.5), ("good", 4.0, 4.5)]


def subtitles(path: Path, cues: list[tuple[str, float, float]]) -> Path:
    def stamp(time: float) -> str:
        return f"00:00:{time:06.3f}".replace(".", ",")

    blocks = (f"{n}\n{stamp(b)} --> {stamp(e)}\n{text}\n" for n, (text, b, e) in enumerate(cues, 1))
    path.write_text("\n".join(blocks))
    return path


def test_times_of_cues_by_hand(tmp_path: Path) -> None:
    # The first cue begins 0.3 s late; the second is shown in two; the last word is wrong.
    heard = [
        ("so how are you", 0.3, 1.5),
        ("i am", 2.1, 2.6),
        ("very well", 2.6, 3.5),
        ("could", 4.0, 4.5),
    ]
    files = subtitles(tmp_path / "ref.srt", CUES), subtitles(tmp_path / "hyp.srt", heard)
    corpus, _ = misword.read_corpus(*files)
    scores = misword.score(corpus, metrics="segment-times,segment-times:tolerance=0.05")
    # Begins of two cues are compared, and ends of two: 0.3, 0.1, 0.0 and 0.0 s.
    assert scores.table.select("^segment-times\\..*$").row(0) == (1, 4, 6)
    assert scores.summary(bootstrap=0)["rate"].to_list() == [1 / 4, 2 / 4]
    begin, end = scores.result(bootstrap=10).tables["segment_time_errors"].to_dicts()
    assert (begin["words"], begin["coverage"]) == (3, pytest.approx(2 / 3))
    assert (begin["bias"], end["bias"]) == (pytest.approx(0.2), 0.0)
    assert (begin["within200"], end["within200"]) == (0.5, 1.0)
    # A cue whose begin alone is shared with the reference is still compared there.
    other = [("so how", 0.0, 0.7), ("are you i am", 0.8, 2.5), ("very well good", 2.6, 4.5)]
    corpus, _ = misword.read_corpus(files[0], subtitles(tmp_path / "other.srt", other))
    assert misword.score(corpus, metrics="segment-times").table.row(0)[-3:] == (0, 2, 6)


@settings(max_examples=20)
@given(st.floats(-2, 2))
def test_a_shift_of_all_cues_is_the_bias(shift: float) -> None:
    frame = pl.DataFrame({"utt": ["r"], "text": ["a b c d"]})
    corpus = complete_words(misword.Corpus.of(frame, {"s": frame["text"]}))
    assert corpus.words is not None
    later = pl.when(pl.col("system") == "s").then(shift).otherwise(0.0)
    segment = pl.col("place") // 2
    begin = 2.0 * segment + later
    words = corpus.words.with_columns(segment=segment, begin=begin, end=begin + 1)
    scores = misword.score(replace(corpus, words=words), metrics="segment-times")
    assert scores["segment-times"] == float(abs(shift) > 0.2 + 1e-9)
    for row in scores.result(bootstrap=10).tables["segment_time_errors"].to_dicts():
        assert (row["words"], row["coverage"]) == (2, 1.0)
        assert row["bias"] == pytest.approx(shift, abs=1e-9)


def test_segments_without_times_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no segments with times"):
        misword.score(["a"], ["a"], "segment-times")


# Limits on shares and percentiles of times, in a gate.


def test_a_gate_on_shares_of_times(tmp_path: Path) -> None:
    heard = [("z", 0.0, 0.5), ("b", 1.0, 1.5), ("x", 1.6, 1.8), ("c", 2.1, 2.5), ("d", 3.0, 3.9)]
    scores = misword.score(corpus_of(tmp_path, SAID, heard), metrics="word-times")
    # Begins and ends of b, c and d: 0, 0, 0.1, 0, 0 and 0.4 s; a is wrong.
    shares = {"within50": 4 / 6, "within100": 5 / 6, "within200": 5 / 6, "compared": 6 / 8}
    for name, share in shares.items():
        for limit, outcome in ((share - 0.01, "passed"), (share + 0.01, "failed")):
            (found,) = misword.gate(
                scores, min={f"word-times.{name}": limit}, bootstrap=0
            ).conditions
            assert (found.outcome, found.unit) == (outcome, "")
            assert found.rate == pytest.approx(share)
    (found,) = misword.gate(scores, max={"word-times.p90": 0.2}, bootstrap=0).conditions
    assert (found.outcome, found.unit) == ("failed", "s")
    assert found.rate == pytest.approx(0.25)
    with pytest.raises(OptionError, match=r"the least word-times.within50 is 50"):
        misword.gate(scores, min={"word-times.within50": 50})


def test_intervals_of_shares_and_percentiles_of_times(tmp_path: Path) -> None:
    for name, shift in (("ref", 0.0), ("hyp", 0.1)):
        lines = [
            f"r{row} 1 {begin + shift * (row % 3):.3f} 0.300 {word}\n"
            for row in range(30)
            for word, begin, _ in SAID
        ]
        (tmp_path / f"{name}.ctm").write_text("".join(lines))
    corpus, _ = misword.read_corpus(tmp_path / "ref.ctm", tmp_path / "hyp.ctm")
    scores = misword.score(corpus, metrics="word-times")
    share, median = misword.gate(
        scores, min={"word-times.within100": 0.5}, max={"word-times.median": 0.15}
    ).conditions[::-1]
    assert share.rate == pytest.approx(2 / 3)
    assert share.low < share.rate < share.high
    assert median.rate == pytest.approx(0.1)
    assert median.low <= median.rate <= median.high
