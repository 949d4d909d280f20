"""Every shape of corpus gives the same results in parts as at once.

Parts of three rows: a part may end within a list, within a system, or in the middle of lists that
are ordered by rank. Only lists that stay whole give the results of the whole corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.asr import measuring
from misword.core.types import Corpus
from misword.io.transcripts.files import CorpusFiles
from misword.stat.tallies import tally
from misword.text import disfluencies

WORDS = ["a", "b", "c", "d", "don't", "colour"]
SYSTEMS = ("x", "y")
ORDERS: dict[str, list[str]] = {
    "lists in list order": [],
    "lists in rank order": ["system", "rank"],
    "lists of all systems by rank": ["rank"],
    "rows in another order": ["text", "rank"],
}


def text_of(number: int, size: int) -> str:
    return " ".join(WORDS[(number * (step + 2) + step) % len(WORDS)] for step in range(size))


def corpus_of(
    utterances: int,
    systems: tuple[str, ...] = ("x",),
    lengths: tuple[int, ...] = (1,),
    reference: Callable[[str], str] = str,
) -> Corpus:
    """Return a corpus with lists of these lengths, which are repeated."""
    utts = [f"u{number}" for number in range(utterances)]
    texts = [reference(text_of(number, 4)) for number in range(utterances)]
    references = pl.DataFrame(
        {"utt": utts, "text": texts, "speaker": [f"s{number % 2}" for number in range(utterances)]}
    )
    rows = [
        {
            "utt": utt,
            "system": system,
            "rank": rank,
            "text": text_of(number + rank + len(system) * place, 4 + rank % 2),
            "score": -1.0 * rank - number % 3,
        }
        for place, system in enumerate(systems)
        for number, utt in enumerate(utts)
        for rank in range(1, lengths[number % len(lengths)] + 1)
    ]
    return Corpus(references, pl.DataFrame(rows))


def sorted_by(corpus: Corpus, columns: list[str]) -> Corpus:
    rows = corpus.hypotheses
    return Corpus(corpus.references, rows.sort(columns, maintain_order=True) if columns else rows)


def shapes() -> Iterator[tuple[str, Corpus]]:
    yield "one row", corpus_of(1)
    yield "one list", corpus_of(1, lengths=(7,))
    yield "one system", corpus_of(8)
    yield "several systems", corpus_of(8, SYSTEMS)
    yield "alternatives", corpus_of(8, SYSTEMS, (2, 5), lambda text: f"{{ {text} / b }} c")
    for name, columns in ORDERS.items():
        for systems in (("x",), SYSTEMS):
            corpus = corpus_of(8, systems, (4, 1, 7))
            yield f"{name}, {len(systems)} systems", sorted_by(corpus, columns)


SHAPES = dict(shapes())
WORK: dict[str, Callable[[Corpus], Any]] = {
    "score": lambda corpus: misword.score(corpus, metrics="wer,cer,mer"),
    "compare": lambda corpus: misword.compare(
        Corpus(corpus.references, corpus.hypotheses.filter(rank=1)), bootstrap=20, by="speaker"
    ),
    "oracle": lambda corpus: misword.oracle(corpus, metrics="wer,cer", bootstrap=20),
    "tune": lambda corpus: misword.tune(
        corpus, bootstrap=20, resamples=1, starts=1, folds=2, features="score,words,rank"
    ),
    "mbr": lambda corpus: misword.mbr(corpus, references=True, bootstrap=20),
}


def in_parts(patch: pytest.MonkeyPatch) -> None:
    for module in (measuring, tally, disfluencies):
        patch.setattr(module, "AT_ONCE", 3)
    patch.setattr(measuring, "WORDS_AT_ONCE", 4)


def assert_same(whole: Any, parts: Any) -> None:
    """Results have the same tables and notes."""
    ours, theirs = whole.result(), parts.result()
    assert ours.tables.keys() == theirs.tables.keys()
    for name, table in ours.tables.items():
        assert table.equals(theirs.tables[name]), name
    assert whole.notes == parts.notes


def is_refused(work: str, shape: str) -> bool:
    """Whether a function does not take corpora of a shape, however small."""
    several = len(SHAPES[shape].systems) > 1
    if work in ("tune", "mbr"):
        return several or (work == "tune" and shape in ("one row", "one list"))  # folds
    return work == "compare" and not several


CASES = [(work, shape) for work in WORK for shape in SHAPES if not is_refused(work, shape)]


@pytest.mark.parametrize(("work", "shape"), CASES)
def test_a_cut_changes_nothing(work: str, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = WORK[work](SHAPES[shape])
    in_parts(monkeypatch)
    assert_same(whole, WORK[work](SHAPES[shape]))


@pytest.mark.parametrize("missing", ["skip", "delete"])
@pytest.mark.parametrize("by_rank", [False, True])
def test_missing_rows(missing: str, by_rank: bool, tmp_path: Path) -> None:
    """Lists from files, of which some utterances have none."""
    corpus = corpus_of(9, lengths=(4, 2))
    rows = corpus.hypotheses.filter(~pl.col("utt").is_in(["u2", "u7"])).drop("system")
    rows = rows.sort("rank", maintain_order=True) if by_rank else rows
    references, lists = tmp_path / "ref.tsv", tmp_path / "lists.tsv"
    corpus.references.rename({"utt": "id"}).write_csv(references, separator="\t")
    rows.rename({"utt": "id"}).write_csv(lists, separator="\t")
    files = CorpusFiles(str(references), [str(lists)], {"missing": missing}, ranks=None)
    for work in ("score", "oracle"):
        with pytest.MonkeyPatch.context() as patch:
            whole = WORK[work](files())
            in_parts(patch)
            assert_same(whole, WORK[work](files()))
