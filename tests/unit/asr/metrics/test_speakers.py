"""Recordings with several speakers: words by speaker, rates by hand, tables, errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import misword
from misword.asr.pairs import prepare
from misword.asr.speakers import Speakers
from misword.core.errors import InputError, OptionError
from misword.core.types import OF_REFERENCES

REFERENCE = [
    "call 1 anna 0.0 2.0 good morning how are you",
    "call 1 ben 2.0 4.0 fine thanks and you",
    "call 1 anna 4.0 6.0 very well indeed",
    "call 1 ben 6.0 8.0 glad to hear it",
]
# The third turn has the wrong speaker; `you` is missing and `hear` is `here`.
HYPOTHESIS = [
    "call 1 s0 0.0 2.0 good morning how are you",
    "call 1 s1 2.0 4.0 fine thanks and",
    "call 1 s1 4.0 6.0 very well indeed",
    "call 1 s1 6.0 8.0 glad to here it",
]


def corpus_of(folder: Path, said: list[str], heard: list[str]) -> misword.Corpus:
    files = []
    for name, lines in (("ref.stm", said), ("hyp.stm", heard)):
        files.append(folder / name)
        files[-1].write_text("\n".join(lines) + "\n")
    return misword.read_corpus(*files, join="recording")[0]


def rates(corpus: misword.Corpus, metrics: str, **options: str) -> dict[str, float]:
    scores = misword.score(corpus, metrics=metrics, **options)  # type: ignore[arg-type]
    summary = scores.summary(bootstrap=0)
    return dict(zip(summary["metric"].to_list(), summary["rate"].to_list(), strict=True))


def with_words(corpus: misword.Corpus, system: str, **columns: pl.Expr) -> misword.Corpus:
    """Return a corpus with other metadata of the words of one side."""
    assert corpus.words is not None
    chosen = pl.col("system") == system
    changed = [
        pl.when(chosen).then(value).otherwise(pl.col(name)).alias(name)
        for name, value in columns.items()
    ]
    return replace(corpus, words=corpus.words.with_columns(changed))


def test_two_speakers_by_hand(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, REFERENCE, HYPOTHESIS)
    metrics = "wer,cpwer,tcpwer,orcwer,orcwer:search=exact,dicpwer,wder,der"
    assert rates(corpus, metrics) == {
        "wer": 2 / 16,
        "cpwer": 7 / 16,  # anna lacks three words; ben: you/very, two insertions, hear/here
        "tcpwer": 7 / 16,
        "orcwer": 2 / 16,
        "orcwer:search=exact": 2 / 16,
        "dicpwer": 2 / 16,
        "wder": 3 / 15,
        "der": 2 / 8,
    }


def test_tables_of_whose_errors(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, REFERENCE, HYPOTHESIS)
    tables = misword.score(corpus, metrics="cpwer").records
    (recording,) = tables["recordings"].to_dicts()
    shown = ("errors", "recogniser", "diariser", "wrong", "aligned", "one_speaker")
    assert [recording[name] for name in shown] == [7, 2, 5, 3, 15, 7]
    speakers = tables["speakers"].select("speaker", "hypothesis_speaker", "words", "errors")
    assert speakers.rows() == [("anna", "s0", 8, 3), ("ben", "s1", 8, 4)]


def test_a_speaker_who_is_nobody_is_all_insertions(tmp_path: Path) -> None:
    heard = [*REFERENCE, "call 1 zed 8.0 9.0 bye bye"]
    corpus = corpus_of(tmp_path, REFERENCE, heard)
    assert rates(corpus, "cpwer,orcwer,wder")["cpwer"] == 2 / 16
    table = misword.score(corpus, metrics="cpwer").records["speakers"]
    assert table.filter(pl.col("speaker").is_null())["errors"].to_list() == [2]


def test_one_speaker_has_the_rates_of_wer(tmp_path: Path) -> None:
    sides = [[line.replace(*change) for line in lines] for lines, change in (
        (REFERENCE, ("ben", "anna")), (HYPOTHESIS, ("s1", "s0")))]  # fmt: skip
    found = rates(corpus_of(tmp_path, *sides), "wer,cer,cpwer,cpcer,orcwer,dicpwer")
    assert found["cpwer"] == found["orcwer"] == found["dicpwer"] == found["wer"] > 0
    assert found["cpcer"] == found["cer"] > 0


def test_order_of_words_is_that_in_which_segments_begin(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, REFERENCE, REFERENCE[::-1])
    assert rates(corpus, "cpwer,tcpwer:collar=1,wder") == {
        "cpwer": 0.0,
        "tcpwer:collar=1": 0.0,
        "wder": 0.0,
    }


def test_differences_of_writing_and_alternatives_inside_cpwer(tmp_path: Path) -> None:
    said = ["call 1 anna 0 2 we are {not / never} done", "call 1 ben 2 4 okay then"]
    heard = ["call 1 x 0 2 we are never done", "call 1 y 2 4 ok then"]
    corpus = corpus_of(tmp_path, said, heard)
    assert rates(corpus, "cpwer") == {"cpwer": 1 / 6}
    assert rates(corpus, "cpwer", forgive="writing", lang="en") == {"cpwer": 0.0}
    assert "recordings" not in misword.score(corpus, metrics="cpwer").records
    with pytest.raises(InputError, match="alternatives"):
        misword.score(corpus, metrics="orcwer")


@pytest.mark.slow
def test_other_views_and_costs(tmp_path: Path) -> None:
    said = ["call 1 anna 0 2 the cats sat", "call 1 ben 2 4 on a mat"]
    heard = ["call 1 x 0 2 the cat sat", "call 1 y 2 4 on a mat"]
    corpus = corpus_of(tmp_path, said, heard)
    vectors = misword.WordVectors.of(["cats", "cat"], [[1.0, 0.0], [1.0, 0.0]])
    metrics = "cpwer,cpwer:view=lemma,cpwer:cost=near"
    scores = misword.score(corpus, metrics=metrics, lang="en", vectors=vectors)
    found = scores.summary(bootstrap=0)["rate"].to_list()
    assert found == pytest.approx([1 / 6, 0.0, 0.1 / 6])


def test_words_share_the_time_of_their_segment_by_characters(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, ["r 1 a 0 4 one four"], ["r 1 b 1 5 a bcd"])
    found: list[list[float]] = []
    for side in Speakers.of(prepare(corpus)).sides[0]:
        found += [times.tolist() for times in side.times()]
    assert found == [
        pytest.approx([0, 12 / 7]), pytest.approx([12 / 7, 4]), [1.0, 2.0], [2.0, 5.0],
    ]  # fmt: skip


def test_speakers_at_chance_have_a_note(tmp_path: Path) -> None:
    said = [f"call 1 {speaker} {at} {at + 1} some words" for at, speaker in enumerate("abab")]
    mixed = [f"call 1 {speaker} {at} {at + 1} some words" for at, speaker in enumerate("xxyy")]
    notes = misword.score(corpus_of(tmp_path, said, mixed), metrics="cpwer").notes
    right = misword.score(corpus_of(tmp_path, REFERENCE, HYPOTHESIS), metrics="cpwer").notes
    assert any("at chance" in note for note in notes)
    assert not any("at chance" in note for note in right)


def test_speakers_that_no_metric_compares_have_a_note(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, REFERENCE, HYPOTHESIS)
    ignored = "no metric compares them"
    assert any(ignored in note for note in misword.score(corpus, metrics="wer").notes)
    assert not any(ignored in note for note in misword.score(corpus, metrics="wer,wder").notes)


def test_errors_say_what_is_missing(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, REFERENCE, HYPOTHESIS)
    unknown = with_words(corpus, OF_REFERENCES, speaker=pl.lit(None, pl.String))
    with pytest.raises(InputError, match="words of the references have no speaker"):
        misword.score(unknown, metrics="cpwer")
    untimed = with_words(corpus, "hyp", begin=pl.lit(None, pl.Float64))
    for metric in ("tcpwer", "der"):
        with pytest.raises(InputError, match="words of the hypotheses have no times"):
            misword.score(untimed, metrics=metric)
    with pytest.raises(InputError, match="neither side has words with speakers"):
        misword.score(["a"], ["a"], "cpwer")
    for metric in ("tcpwer:collar=-1", "der:collar=-1"):
        with pytest.raises(OptionError, match="collar is -1"):
            misword.score(corpus, metrics=metric)


def test_tables_follow_the_rows_that_are_chosen(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("ref.stm", "one.stm", "two.stm")]
    for path, lines in zip(files, (REFERENCE, HYPOTHESIS, REFERENCE), strict=True):
        path.write_text("\n".join(lines) + "\n")
    corpus, _ = misword.read_corpus(files[0], files[1:], join="recording")
    misword.score(corpus, metrics="cpwer").save(tmp_path / "saved")
    chosen = misword.load(tmp_path / "saved").filter(system="two")
    tables = chosen.result(bootstrap=10).tables
    assert tables["recordings"].select("system", "errors").rows() == [("two", 0)]
    assert tables["speakers"]["system"].to_list() == ["two", "two"]


def test_hypotheses_without_speakers_are_an_error(tmp_path: Path) -> None:
    reference, hypothesis = tmp_path / "call.stm", tmp_path / "call.txt"
    reference.write_text("call A anna 0.0 1.0 so we go\ncall A bob 1.0 2.0 yes\n", "utf-8")
    hypothesis.write_text("so we go yes\n", "utf-8")
    corpus, _ = misword.read_corpus(reference, hypothesis, segments="recording")
    for metric in ("cpwer", "orcwer", "wder"):
        with pytest.raises(InputError, match="words of the hypotheses have no speaker"):
            misword.score(corpus, metrics=metric)
