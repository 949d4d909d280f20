"""What the choice does to translations: numbers of sacrebleu, counts by hand, what is refused."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.asr.downstreams import create_downstreams
from misword.asr.translating.tables import ScoredChoices
from misword.core.errors import MiswordError, OptionError
from misword.core.types import Corpus
from misword.stat.bootstrap import Bootstrap

REFERENCES = ["le chat dort", "sur le lit", "il pleut"]
LISTS = [["le chat", "le chat dort"], ["sur un lit", "sur le lit"], ["il pleut", "il pleure"]]
TRANSLATED = [
    ["the cat", "the cat is asleep"],
    ["on a bed", "on the bed"],
    ["it rains", "he cries"],
]
ENGLISH = ["the cat is asleep now", "on the big bed", "it rains"]


def oracle(**options: Any) -> misword.Oracle:
    settings: dict[str, Any] = {
        "translations": TRANSLATED,
        "translation_references": ENGLISH,
        "bootstrap": 0,
    }
    return misword.oracle(REFERENCES, LISTS, "wer,cer", **{**settings, **options})


def values(found: misword.Oracle, score: str) -> dict[str, float]:
    assert found.translations is not None
    rows = found.translations.scores.filter(score=score)
    return dict(rows.select("chosen_by", "value").iter_rows())


def test_scores_of_choices_are_those_of_sacrebleu() -> None:
    from sacrebleu.metrics.bleu import BLEU

    found = oracle(downstream="bleu")
    first, best = (list(side) for side in zip(*TRANSLATED[:2], strict=True))
    expected = {
        "rank 1": BLEU().corpus_score([*first, "it rains"], [ENGLISH]).score,
        "wer": BLEU().corpus_score([*best, "it rains"], [ENGLISH]).score,
    }
    shown = values(found, "bleu")
    assert shown["rank 1"] == pytest.approx(expected["rank 1"])
    assert shown["wer"] == shown["cer"] == pytest.approx(expected["wer"])


def test_wins_ties_and_losses() -> None:
    found = oracle(downstream="chrf,ter")
    assert found.translations is not None
    changes = found.translations.changes
    pairs = changes.filter(score="chrf").select("chosen_by", "against", "wins", "ties", "losses")
    assert pairs.rows() == [
        ("wer", "rank 1", 2, 1, 0),
        ("cer", "rank 1", 2, 1, 0),
        ("cer", "wer", 0, 3, 0),
    ]
    ter = changes.filter(score="ter").row(0, named=True)
    assert ter["difference"] < 0  # lower is better
    assert (ter["wins"], ter["ties"], ter["losses"]) == (2, 1, 0)
    same = changes.filter(chosen_by="cer", against="wer")
    assert same["difference"].to_list() == [0, 0]
    assert same["p_holm"].to_list() == [1, 1]


def test_texts_with_their_own_scores() -> None:
    found = oracle(downstream="chrf")
    assert found.translations is not None
    texts = found.translations.texts
    assert texts["chosen_by"].unique(maintain_order=True).to_list() == ["rank 1", "wer", "cer"]
    row = texts.filter(utt="1", chosen_by="wer").row(0, named=True)
    assert (row["rank"], row["translation"]) == (2, "the cat is asleep")
    assert 0 < texts.filter(utt="1", chosen_by="rank 1")["chrf"].item() < row["chrf"]


def test_a_program_or_a_function_gets_the_chosen_texts() -> None:
    table = dict(zip(chain(*LISTS), chain(*TRANSLATED), strict=True))
    seen: list[str] = []

    def translator(texts: list[str]) -> list[str]:
        seen.extend(texts)
        return [table[text] for text in texts]

    found = oracle(translations=None, translate=translator)
    assert sorted(seen) == sorted(set(chain(*LISTS)) - {"il pleure"})
    assert values(found, "bleu") == values(oracle(), "bleu")


def test_columns_of_a_corpus() -> None:
    rows = [
        {"utt": str(utt), "system": "s", "rank": rank, "text": text, "english": english}
        for utt, (texts, translations) in enumerate(zip(LISTS, TRANSLATED, strict=True), start=1)
        for rank, (text, english) in enumerate(zip(texts, translations, strict=True), start=1)
    ]
    references = pl.DataFrame({"utt": ["1", "2", "3"], "text": REFERENCES, "post": ENGLISH})
    corpus = Corpus(references, pl.DataFrame(rows))
    settings: dict[str, Any] = {"metrics": "wer,cer", "bootstrap": 0, "translations": "english"}
    found = misword.oracle(corpus, **settings, translation_references="post")
    assert values(found, "bleu") == values(oracle(), "bleu")
    for name, side in (("english", "lists"), ("post", "references")):
        wrong = {"english": {"translations": "nix"}, "post": {"translation_references": "nix"}}
        options = {**settings, "translation_references": "post", **wrong[name]}
        with pytest.raises(OptionError, match=f"the {side} have no column 'nix'") as raised:
            misword.oracle(corpus, **options)
        assert name in raised.value.fix
    scores = misword.score(corpus, metrics="wer,cer")
    again = misword.oracle(
        scores, bootstrap=0, translations=TRANSLATED, translation_references="post"
    )
    assert values(again, "bleu") == values(found, "bleu")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"translate": "cat"}, "are both given"),
        ({"translation_references": None}, "translations need references"),
        ({"translations": None}, "reference translations need translations"),
        ({"translation_references": ENGLISH[:2]}, "2 reference translations of 3 utterances"),
        ({"translations": TRANSLATED[:2]}, "3 references"),
        ({"translations": [["a"], ["b", "c"], ["d"]]}, "utterance '1', rank 2 has no translation"),
        ({"translations": {"a": TRANSLATED, "b": TRANSLATED}}, "translations of a, b"),
        ({"translations": [[None, "b"], ["c", "d"], ["e", "f"]]}, "missing|null|no text"),
        ({"downstream": "rouge"}, "rouge"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MiswordError, match=message):
        oracle(**options)


def test_the_result_has_the_tables_and_the_signatures() -> None:
    result = oracle(downstream="bleu,ter").result()
    assert {"translations", "translation_changes", "translated"} <= result.tables.keys()
    assert result.provenance["better"] == {"bleu": "higher", "ter": "lower"}
    assert result.provenance["scores"]["bleu"].startswith("nrefs:1|")
    assert result.provenance["parts"]["ter"]["title"] == "TER"
    without = misword.oracle(REFERENCES, LISTS, "wer", bootstrap=0).result()
    assert "translations" not in without.tables


def test_intervals_and_tests_agree() -> None:
    """A clear difference has an interval beside 0 and a small p-value, in every score."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(50)])
    references = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    better = [" ".join(text.split()[:-1]) for text in references]
    worse = [" ".join(text.split()[:-3]) for text in references]
    for label, downstream in create_downstreams("bleu,chrf,ter").items():
        statistics = {
            "rank 1": downstream.statistics(worse, references),
            "wer": downstream.statistics(better, references),
        }
        judged = ScoredChoices(label, downstream, statistics, Bootstrap(200))
        row = judged.change("wer", "rank 1")
        assert row["low"] * row["high"] > 0
        assert row["p"] < 1e-6
        assert row["wins"] == 60


def test_bleu_of_lengths_that_are_not_whole() -> None:
    """The test of differences needs the slope of the brevity penalty."""
    bleu = create_downstreams("bleu")["bleu"]
    sums = np.array([[90.0, 100, 60, 40, 30, 20, 90, 85, 80, 75]])
    step = np.zeros_like(sums)
    step[0, 0] = 1e-3
    slope = (bleu.scores(sums + step) - bleu.scores(sums - step)) / 2e-3
    assert slope[0] == pytest.approx(float(bleu.scores(sums)[0]) * 100 / 90**2, rel=1e-4)


def test_blocks_are_resampled_as_wholes() -> None:
    downstream = create_downstreams("ter")["ter"]
    references = ["a b c d"] * 6
    statistics = {
        "rank 1": downstream.statistics(["a x c d"] * 6, references),
        "wer": downstream.statistics(["a b c d"] * 6, references),
    }
    single = ScoredChoices("ter", downstream, statistics, Bootstrap(50))
    blocks = np.array([0, 0, 0, 1, 1, 1])
    whole = ScoredChoices("ter", downstream, statistics, Bootstrap(50), blocks)
    assert [row["value"] for row in whole.values()] == [row["value"] for row in single.values()]
    assert single.change("wer", "rank 1")["p"] == pytest.approx(2 / 2**6)
    assert whole.change("wer", "rank 1")["p"] == pytest.approx(2 / 2**2)
    assert whole.change("wer", "rank 1")["wins"] == 6
