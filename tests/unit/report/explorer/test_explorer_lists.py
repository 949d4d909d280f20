"""The N-best lists in the data of the explorer."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import polars as pl

import misword
from misword.core.types import Result
from misword.report.article import Article
from misword.report.explorer.data import explorer_data, list_table

REFERENCES = ["the cat sat", "on the mat"]
LISTS = [["the cat", "a cat sat", "the cat sat"], ["on the mat"]]


def unpacked(values: dict[str, str]) -> list[float]:
    data = base64.b64decode(values["data"])
    return [float(value) for value in np.frombuffer(data, f"<{values['type']}")]


def data_of(result: Result) -> dict[str, Any]:
    rates = Article.of("a", result).rates
    assert rates is not None
    return explorer_data(result, rates)


def test_lists_of_an_oracle() -> None:
    found = misword.oracle(REFERENCES, LISTS, "wer,cer", bootstrap=0)
    data = data_of(found.result())
    assert data["references"] == REFERENCES
    assert data["layers"] == []
    lists = data["lists"]
    assert (lists["features"], lists["metrics"]) == ([], ["WER", "CER"])
    (system,) = lists["systems"]
    assert unpacked(system["lengths"]) == [3, 1]
    assert unpacked(system["ranks"]) == [1, 2, 3, 1]
    assert system["texts"] == [*LISTS[0], *LISTS[1]]
    assert system["chosen"] == ["", "", "WER, CER", "WER, CER"]
    assert unpacked(system["numbers"][0]) == [1 / 3, 1 / 3, 0, 0]


def test_lists_of_scores_with_features() -> None:
    lists = [[{"text": text, "lm": -n} for n, text in enumerate(texts)] for texts in LISTS]
    rows = [
        {"utt": str(u), "system": "s", "rank": rank, "text": entry["text"], "lm": entry["lm"]}
        for u, entries in enumerate(lists)
        for rank, entry in enumerate(entries, start=1)
    ]
    references = [{"utt": str(u), "text": text} for u, text in enumerate(REFERENCES)]
    corpus = misword.Corpus(pl.DataFrame(references), pl.DataFrame(rows))
    result = misword.score(corpus, metrics="wer").result()
    data = data_of(result)
    assert data["layers"]
    assert data["references"] == []
    assert data["lists"]["features"] == ["lm"]
    (system,) = data["lists"]["systems"]
    assert unpacked(system["numbers"][0]) == [0, -1, -2, 0]
    assert system["chosen"] == []


def test_a_result_without_lists() -> None:
    result = misword.score(REFERENCES, ["the cat", "on the mat"], "wer").result()
    assert list_table(result) is None
    assert data_of(result)["lists"] is None


def test_the_table_of_lists_has_the_first_ranks_and_the_chosen_ones() -> None:
    texts = [f"w{number}" for number in range(40)]
    found = misword.oracle(["w30"], [texts], "wer", bootstrap=0)
    assert found.lists["rank"].to_list() == [*range(1, 21), 31]
    assert found.lists.filter(rank=31)["chosen_by"].item() == "wer"
    assert found.lists["reference"].unique().to_list() == ["w30"]
