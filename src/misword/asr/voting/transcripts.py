"""The transcripts of each utterance of a corpus, in the order in which they vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.completeness import check_complete
from misword.asr.corpus_columns import make_corpus
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.types import CONFIDENCES, Corpus, Offsets
from misword.text.normalizers import Chain, normalize
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl

NEEDED = "words need confidences unless alpha is 1"


def voting_corpus(systems: Any, confidences: Any, references: Any, ids: Any) -> Corpus:
    """Return the corpus of several systems; the arguments are those of `misword.combine`."""
    import polars as pl

    if callable(systems):
        systems = systems()
    if isinstance(systems, Corpus):
        if confidences is not None or ids is not None or references not in (None, True):
            raise OptionError("a Corpus has its own references, confidences and ids")
        check_complete(systems)
        return systems
    if references is True:
        raise OptionError("systems without references", fix="give the references' texts")
    named = _named(systems)
    if not named:
        raise InputError("there are no systems", fix="give the texts of two systems or more")
    first = next(iter(named.values()))
    corpus = make_corpus(first if references is None else references, named, ids=ids)
    if confidences is None:
        return corpus
    rows = list(chain.from_iterable(_named(confidences).values()))
    if len(rows) != len(corpus.hypotheses):
        raise MismatchError(
            f"confidences of {len(rows)} texts, and {len(corpus.hypotheses)} texts",
            fix="give a list of numbers for each text of each system",
        )
    column = pl.Series(CONFIDENCES, [list(map(float, row)) for row in rows], pl.List(pl.Float64))
    return Corpus(corpus.references, corpus.hypotheses.with_columns(column))


def _named(columns: Any) -> dict[str, Any]:
    """Return columns by the names of the systems; without names they are numbered from 1."""
    if isinstance(columns, Mapping):
        return {str(name): column for name, column in columns.items()}
    return {str(number): column for number, column in enumerate(columns, 1)}


@dataclass(frozen=True, slots=True, eq=False)
class Transcripts:
    """Texts that vote: those of utterance `u` are the rows `at[u]` to `at[u + 1] - 1` of `texts`.

    `ids` has the utterances. `confidences` has a number for each word of all texts, or is None.
    """

    ids: pl.Series
    texts: Texts
    at: Offsets
    confidences: list[float] | None = None

    @classmethod
    def of(cls, corpus: Corpus, ranks: int, normalizers: Chain, *, confident: bool) -> Transcripts:
        """Arrange the first hypotheses of each system: system by system, then rank by rank.

        With `confident`, confidences are read, and each word is normalised by itself.
        """
        import polars as pl

        order = corpus.references.select("utt").with_row_index("place")
        systems = pl.DataFrame({"system": corpus.systems}).with_row_index("voter")
        kept = corpus.hypotheses.filter(pl.col("rank") <= ranks)
        table = kept.join(order, on="utt").join(systems, on="system").sort("place", "voter", "rank")
        counts = np.bincount(table["place"].to_numpy(), minlength=len(order))
        if not len(counts) or counts.max() < 2:
            raise OptionError(
                "there is one transcript of each utterance, so there is nothing to vote on",
                fix="name two systems or more, or N-best lists and --ranks N",
            )
        at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if not confident:
            return cls(order["utt"], normalize(Texts.of(table["text"]), normalizers), at)
        texts, values = _confident_words(table, normalizers)
        return cls(order["utt"], Texts.of(texts), at, values)


def _confident_words(table: pl.DataFrame, normalizers: Chain) -> tuple[list[str], list[float]]:
    """Return the texts with each word normalised by itself, and a confidence of each word."""
    if CONFIDENCES not in table.columns:
        raise InputError(NEEDED, fix="give ctm files with confidences, or leave out alpha")
    rows = [text.split() for text in table["text"].to_list()]
    known: list[Sequence[float | None] | None] = table[CONFIDENCES].to_list()
    for words, values, key in zip(rows, known, table.rows(), strict=True):
        if len(values or ()) != len(words) or None in (values or ()):
            utt, system = key[table.columns.index("utt")], key[table.columns.index("system")]
            raise InputError(
                f"{NEEDED}: {system!r} has {len(words)} words in utterance {utt!r}, not all of "
                "them with a confidence",
                fix="give each word a number from 0 to 1, or leave out alpha",
            )
    flat = normalize(Texts.of(list(chain.from_iterable(rows))), normalizers).split()
    pieces = iter([word.split() for word in flat])
    texts, confidences = [], []
    for words, values in zip(rows, known, strict=True):
        parts = [(piece, value) for _, value in zip(words, values or (), strict=True)
                 for piece in next(pieces)]  # fmt: skip
        texts.append(" ".join(piece for piece, _ in parts))
        confidences += [float(value or 0) for _, value in parts]
    _check_range(confidences)
    return texts, confidences


def _check_range(confidences: Sequence[float]) -> None:
    wrong = next((value for value in confidences if not 0 <= value <= 1), None)
    if wrong is not None:
        raise InputError(f"a confidence is {wrong}", fix="confidences are from 0 to 1")
