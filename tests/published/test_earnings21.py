"""WER of four recognisers on the ten calls of Earnings-21's Eval-10 (Del Rio et al., 2021).

The published figures were computed by fstalign, with verbalisations of entities, without regard to
hyphens, and with a list of synonyms. misword finds the alignment with the fewest errors; fstalign's
search is approximate, and the list of synonyms of that time is not part of the data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword

# Published WER in percent, and that of misword.
FIGURES = {
    "google": (18.5, 18.31),
    "amazon": (18.0, 18.06),
    "microsoft": (16.2, 16.08),
    "speechmatics": (16.7, 16.85),
}


def test_published_wer_comes_back(shared: Path) -> None:
    folder = shared / "earnings21"
    corpus, notes = misword.read_corpus(
        folder / "nlp_references",
        [folder / name for name in FIGURES],
        alternatives_from=folder / "normalizations",
        tags_from=folder / "wer_tags",
        segments="as-they-are",
        input_format="nlp:signs=false",  # fstalign does not read the column of punctuation
    )
    assert notes == ()
    assert corpus.systems == list(FIGURES)
    scores = misword.score(corpus, metrics="wer", normalize="lower")
    rates = dict(scores.summary(bootstrap=0).select("system", "rate").iter_rows())
    for system, (published, ours) in FIGURES.items():
        assert 100 * rates[system] == pytest.approx(ours, abs=0.005)
        assert 100 * rates[system] == pytest.approx(published, abs=0.2)
    published_order = sorted(FIGURES, key=lambda system: FIGURES[system][0])
    assert sorted(rates, key=rates.__getitem__) == published_order


# WER in percent by another program that forgives differences of writing.
FORGIVEN = {"microsoft": 12.15, "speechmatics": 12.76, "google": 13.67, "amazon": 14.87}


@pytest.mark.parametrize("normalize", ["nfc", "lower,nopunct"])
def test_forgiving_names_the_winner(shared: Path, normalize: str) -> None:
    folder = shared / "earnings21"
    systems = [folder / name for name in FORGIVEN]
    corpus, _ = misword.read_corpus(folder / "nlp_references", systems, segments="as-they-are")
    scores = misword.score(corpus, metrics="wer", normalize=normalize, forgive="writing")
    summary = scores.summary(bootstrap=0)
    rates = dict(summary.select("system", "rate").iter_rows())
    assert sorted(rates, key=rates.__getitem__) == list(FORGIVEN)
    for system, expected in FORGIVEN.items():
        assert 100 * rates[system] == pytest.approx(expected, abs=0.7)
    plain = misword.score(corpus, metrics="wer", normalize=normalize).summary(bootstrap=0)
    assert summary["reference"].equals(plain["reference"])
    assert summary["without"].equals(plain["rate"].rename("without"))


@pytest.mark.parametrize(
    "options",
    [{"normalize": "lower,nopunct"}, {"forgive": "writing", "lang": "en"}],
    ids=["plain", "forgiving"],
)
def test_errors_of_turns_are_those_of_the_calls(shared: Path, options: dict[str, Any]) -> None:
    folder = shared / "earnings21"
    paths = folder / "nlp_references", [folder / "google", folder / "microsoft"]
    counts = []
    modes: list[Any] = [("transfer", "recording"), ("recording", "utt")]
    for mode, recording in modes:
        corpus, _ = misword.read_corpus(*paths, segments=mode)
        table = misword.score(corpus, metrics="wer", **options).table
        errors = pl.sum_horizontal(f"wer.{kind}" for kind in ("substitutions", "insertions",
                                                              "deletions"))  # fmt: skip
        rows = table.group_by("system", pl.col(recording).alias("call")).agg(errors.sum())
        counts.append(rows.sort("system", "call").rows())
    assert counts[0] == counts[1]
    assert len(counts[0]) == 20


def test_words_have_speakers_and_entities(shared: Path) -> None:
    folder = shared / "earnings21"
    corpus, _ = misword.read_corpus(
        folder / "nlp_references", folder / "google", tags_from=folder / "wer_tags"
    )
    assert corpus.words is not None
    lengths = corpus.references["text"].str.split(" ").list.len()
    words = corpus.words.filter(system="")
    assert words.height == lengths.sum()
    kinds = words["entities"].explode().drop_nulls().str.extract(r":(\w+)$")
    assert kinds.null_count() == 0
    assert {"PERSON", "ORG", "MONEY", "YEAR", "CONTRACTION"} <= set(kinds.to_list())
