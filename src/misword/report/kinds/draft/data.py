"""What the script of the page reads about a draft, as values that JSON can hold."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import polars as pl

from misword.core.types import Result
from misword.report.explorer.packing import Data, packed

VERDICTS = ("", "accept", "reject", "other")
NO_NUMBER = float("nan")


def draft_data(result: Result) -> Data:
    """Return the rows of a draft.

    Candidates are numbers in the list `targets`, which has each word once, with its
    back-translation; 0 is no candidate. Each row has the same number of places for candidates.
    """
    rows, candidates = result.tables["headwords"], result.tables["candidates"]
    place_of_word = rows.select("source", pl.int_range(pl.len()).alias("row"))
    listed = candidates.join(
        place_of_word, left_on="word", right_on="source", maintain_order="left"
    )
    targets = listed.unique("candidate", keep="first", maintain_order=True)
    numbers = targets.select("candidate", pl.int_range(1, pl.len() + 1).alias("number"))
    numbered = listed.join(numbers, on="candidate", maintain_order="left")
    width = int(candidates["rank"].max() or 0)  # type: ignore[arg-type]
    ids = np.zeros((len(rows), width), np.int64)
    scores = np.full((len(rows), width), NO_NUMBER, np.float32)
    at = (numbered["row"].to_numpy(), numbered["rank"].to_numpy() - 1)
    ids[at] = numbered["number"].to_numpy()
    scores[at] = numbered["score"].fill_null(NO_NUMBER).to_numpy()
    verdicts = [VERDICTS.index(verdict) for verdict in rows["verdict"].to_list()]
    return {
        "key": _key(rows),
        "width": width,
        "words": rows["source"].to_list(),
        "targets": ["", *targets["candidate"].to_list()],
        "backs": ["", *targets["back"].fill_null("").to_list()],
        "candidates": packed(ids.ravel()),
        "scores": packed(scores.ravel()),
        "ranks": packed(rows["rank"].to_numpy()),
        "names": packed(rows["name"].fill_null(NO_NUMBER).to_numpy().astype(np.float32)),
        "lemmas": rows["lemma"].to_list(),
        "tags": _coded(rows["pos"].to_list()),
        "verdicts": packed(np.array(verdicts, np.int64)),
        "others": rows["other"].to_list(),
        "probabilities": bool(result.provenance.get("probabilities")),
    }


def _coded(values: Sequence[str]) -> Data:
    """Return a list of distinct values, and the number of each value in it."""
    distinct = sorted(set(values))
    number = {value: place for place, value in enumerate(distinct)}
    return {"values": distinct, "codes": packed(np.array([number[value] for value in values]))}


def _key(rows: pl.DataFrame) -> str:
    """Return the name under which the browser keeps verdicts: another draft has another one.

    Verdicts that the draft has already are part of it, so that a page that was made with --judged
    does not show the older verdicts of the page before it.
    """
    columns = rows.select("source", "target", "verdict", "other").fill_null("")
    text = "\n".join("\t".join(row) for row in columns.iter_rows())
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
