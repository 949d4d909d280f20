"""What the script of the page reads about a draft, as values that JSON can hold."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import polars as pl

from misword.core.types import Result
from misword.report.explorer.packing import Data, packed
from misword.report.utterance_rates import positions
from misword.report.word_lists import NO_NUMBER, by_rank, coded, distinct_words, word_numbers

VERDICTS = ("", "accept", "reject", "other")


def draft_data(result: Result) -> Data:
    """Return the rows of a draft.

    Candidates are numbers in the list `targets`, which has each word once, with its
    back-translation; 0 is no candidate. Each row has the same number of places for candidates.
    """
    rows, candidates = result.tables["headwords"], result.tables["candidates"]
    listed = candidates.filter(
        pl.col("word").is_in(rows["source"].implode()) & (pl.col("candidate") != "")
    )
    targets = distinct_words(listed["candidate"])
    first = listed.unique("candidate", keep="first", maintain_order=True)
    width = int(candidates["rank"].max() or 0)  # type: ignore[arg-type]
    at = (positions(listed["word"], rows["source"]), listed["rank"].to_numpy())
    numbers = word_numbers(listed["candidate"], targets)
    ids = by_rank(*at, numbers, np.zeros((len(rows), width), np.int64))
    scores = listed["score"].fill_null(NO_NUMBER).to_numpy()
    scores = by_rank(*at, scores, np.full((len(rows), width), NO_NUMBER, np.float32))
    verdicts = [VERDICTS.index(verdict) for verdict in rows["verdict"].to_list()]
    return {
        "key": _key(rows),
        "width": width,
        "words": rows["source"].to_list(),
        "targets": targets.to_list(),
        "backs": ["", *first["back"].fill_null("").to_list()],
        "candidates": packed(ids.ravel()),
        "scores": packed(scores.ravel()),
        "ranks": packed(rows["rank"].to_numpy()),
        "names": packed(rows["name"].fill_null(NO_NUMBER).to_numpy().astype(np.float32)),
        "lemmas": rows["lemma"].to_list(),
        "tags": coded(rows["pos"].to_list()),
        "verdicts": packed(np.array(verdicts, np.int64)),
        "others": rows["other"].to_list(),
        "probabilities": bool(result.provenance.get("probabilities")),
    }


def _key(rows: pl.DataFrame) -> str:
    """Return the name under which the browser keeps verdicts: another draft has another one.

    Verdicts that the draft has already are part of it, so that a page that was made with --judged
    does not show the older verdicts of the page before it.
    """
    columns = rows.select("source", "target", "verdict", "other").fill_null("")
    text = "\n".join("\t".join(row) for row in columns.iter_rows())
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
