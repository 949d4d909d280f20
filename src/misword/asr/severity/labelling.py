"""Labels of all errors of a corpus: the pairs with errors are divided into cases and labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.writing_notes import usable_families
from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs
from misword.asr.severity.case import Case
from misword.asr.severity.detectors import Terms, labelled
from misword.asr.severity.levels import CRITICAL, LABELS, LEVELS, LabelledError, level_of, score_of
from misword.asr.severity.words import WordKnowledge
from misword.asr.word_tables import shown_alignment
from misword.core.context import Context
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.types import Op
from misword.stat.score_tables import CRITICAL_TERMS as TERMS
from misword.text.writing.words import base, base_forms

USUAL_LANGUAGE = "en"  # if no language is named

Numbers = NDArray[np.int64]


@cache
def knowledge(lang: str) -> WordKnowledge:
    """Return what is known of the words of a language, loaded once."""
    return WordKnowledge.of(lang or USUAL_LANGUAGE)


def critical_terms(context: Context) -> tuple[str, ...]:
    """Return the critical terms of a run."""
    terms: tuple[str, ...] = context.opened.get(TERMS, ())
    return terms


class PairErrors(NamedTuple):
    """The words and the labelled errors of one pair; a forgiven block is one word of each side."""

    reference: Sequence[str]
    hypothesis: Sequence[str]
    errors: Sequence[LabelledError]


@dataclass(frozen=True, slots=True, eq=False)
class PairLabels:
    """The labelled errors of all pairs.

    `words` has the number of reference words of each pair, `level` and `score` what the metric
    `severity` says of it, `critical` the number of its critical errors. `of_pair` has the errors of
    each pair that has some.
    """

    words: Numbers
    level: Numbers
    score: NDArray[np.float64]
    critical: Numbers
    of_pair: dict[int, PairErrors]

    def table(self, keys: Any) -> pl.DataFrame:
        """Return a row for each error: its pair, place, label, level, risk and words.

        `place` is the number of its first word in the reference, or in the hypothesis if only that
        has words of it. `keys` identifies the pairs.
        """
        rows = [
            (
                pair,
                error.start if error.start < error.end else error.heard_start,
                error.label,
                LEVELS[error.level],
                error.risk,
                " ".join(found.reference[error.start : error.end]) or None,
                " ".join(found.hypothesis[error.heard_start : error.heard_end]) or None,
            )
            for pair, found in self.of_pair.items()
            for error in found.errors
            if error.risk
        ]
        schema: Any = {
            "pair": pl.Int64, "place": pl.Int64, "label": pl.Enum(list(LABELS)),
            "level": pl.Enum(LEVELS), "risk": pl.Float64, "reference": pl.String,
            "hypothesis": pl.String,
        }  # fmt: skip
        table = pl.DataFrame(rows, schema, orient="row")
        identified: pl.DataFrame = keys.select("utt", "system", "rank")[table["pair"]]
        return identified.hstack(table.drop("pair").get_columns())


def with_writing_forgiven(pairs: Pairs) -> Pairs:
    """Return the pairs with all differences of writing forgiven that can be in their language."""
    lang = pairs.context.lang or USUAL_LANGUAGE
    wanted = tuple(usable_families(lang))
    if set(wanted) <= set(pairs.choice.names):
        return pairs
    specs = [*pairs.choice.specs, *(name for name in wanted if name not in pairs.choice.names)]
    choice = ForgivenFamilies.of(specs, lang)
    return pairs.once(
        "writing forgiven", lambda: replace(pairs, choice=choice, settings=(), _cache={})
    )


def label_pairs(pairs: Pairs, terms: Sequence[str] = ()) -> PairLabels:
    """Return the labels of all pairs; computed once for the same terms."""
    listed = tuple(terms)
    return pairs.once(("severity", listed), lambda: _labelled(pairs, listed))


def _labelled(pairs: Pairs, terms: tuple[str, ...]) -> PairLabels:
    known = knowledge(pairs.context.lang)
    phrases: Terms = frozenset(
        tuple(base(word) for word in term.split() if base(word)) for term in terms
    ) - {()}
    counts, cases = aligned_words(pairs)
    level, critical = np.zeros((2, len(counts)), np.int64)
    score = np.zeros(len(counts))
    found: dict[int, PairErrors] = {}
    seen: dict[tuple[tuple[str, ...], tuple[str, ...]], Sequence[LabelledError]] = {}
    with progress("labelling", int((counts[:, 1:].sum(axis=1) > 0).sum())) as step:
        for pair, reference, hypothesis, operations in cases:
            key = tuple(reference), tuple(hypothesis)
            errors = seen.get(key)
            if errors is None:
                case = labelled(Case.of(known, reference, hypothesis, operations), phrases)
                errors = seen[key] = case.errors
            found[pair] = PairErrors(reference, hypothesis, errors)
            step(1)
    for pair, of_pair in found.items():
        score[pair] = score_of(of_pair.errors)
        levels = [level_of(error.risk) for error in of_pair.errors]
        level[pair] = max(levels, default=0)
        critical[pair] = sum(each == CRITICAL for each in levels)
    words = counts[:, Op.HIT] + counts[:, Op.SUBSTITUTION] + counts[:, Op.DELETION]
    return PairLabels(words, level, score, critical, found)


def aligned_words(
    pairs: Pairs,
) -> tuple[Numbers, Iterator[tuple[int, list[str], list[str], list[int]]]]:
    """Return the counts of the alignments, and the words and operations of pairs with errors."""
    forgiven = with_writing_forgiven(pairs)
    rate = EditRate()
    alignment = shown_alignment(rate, forgiven)
    sides, rows = rate.tokens(forgiven), rate.rows(forgiven)
    counts = np.asarray(alignment.counts, np.int64)

    def cases() -> Iterator[tuple[int, list[str], list[str], list[int]]]:
        vocabulary = sides[0].vocabulary[:]
        texts = [[vocabulary[word] for word in side.ids.tolist()] for side in sides]
        ends = [side.offsets.tolist() for side in sides]
        operations = alignment.all_operations.tolist()
        spans = list(pairwise(alignment.all_offsets.tolist()))
        wrong = np.flatnonzero(counts[:, 1:].any(axis=1))
        for pair, (row, column) in zip(wrong.tolist(), rows[wrong].tolist(), strict=True):
            start, end = spans[pair]
            left = texts[0][ends[0][row] : ends[0][row + 1]]
            right = texts[1][ends[1][column] : ends[1][column + 1]]
            yield pair, left, right, operations[start:end]

    return counts, cases()


# Words on silence: hypotheses with words where the reference has none.

# Columns of metadata with the length of an utterance, or its begin and end, in seconds.
DURATION, ENDS = "duration", ("begin", "end")
SECONDS_PER_HOUR = 3600


def silence_table(pairs: Pairs) -> pl.DataFrame:
    """Return a row for each best hypothesis with words whose reference has none.

    `stock` names the phrase, if the hypothesis is one that recognisers write for silence, such as
    `thanks for watching`; `seconds` is the length of the utterance, if the corpus has it.
    """
    counts, _ = aligned_words(pairs)
    words = counts[:, Op.SUBSTITUTION] + counts[:, Op.INSERTION]
    said = counts[:, Op.HIT] + counts[:, Op.SUBSTITUTION] + counts[:, Op.DELETION]
    rows = ((said == 0) & (words > 0)).nonzero()[0]
    stock = knowledge(pairs.context.lang).language.stock
    texts = pairs.source.hypotheses["text"][pairs.reader.index[rows, 1]].to_list()
    phrases = [" ".join(filter(None, base_forms(text.split()))) for text in texts]
    table = pairs.keys.select("utt", "system", "rank")[rows].with_columns(
        pl.Series("words", words[rows], pl.Int64),
        pl.Series("stock", [p if p in stock else None for p in phrases], pl.String),
        pl.Series("hypothesis", texts, pl.String),
        _seconds(pairs)[rows],
    )
    best: pl.DataFrame = table.filter(rank=1).drop("rank")
    return best


def silence_notes(pairs: Pairs) -> list[str]:
    """Return a note on words where references have none, with words per hour if it is known."""
    table = silence_table(pairs)
    if table.is_empty():
        return []
    phrases = table["stock"].drop_nulls().value_counts(sort=True, name="n").head(3).rows()
    named = "".join(f"; {name!r} {number:,} times" for name, number in phrases)
    seconds, words = table["seconds"].sum(), int(table["words"].sum())
    rate = f" ({words * SECONDS_PER_HOUR / seconds:,.0f} an hour)" if seconds else ""
    return [
        f"words where the reference has none: {counted(words, 'word')}{rate} in "
        f"{counted(len(table), 'utterance')}{named}"
    ]


def _seconds(pairs: Pairs) -> pl.Series:
    """Return the length of each pair's utterance in seconds; null where it is not known."""
    frame = pairs.keys
    numeric = {
        name: frame[name].cast(pl.Float64, strict=False)
        for name in (DURATION, *ENDS)
        if name in frame.columns
    }
    if DURATION in numeric:
        return numeric[DURATION].alias("seconds")
    if all(name in numeric for name in ENDS):
        return (numeric["end"] - numeric["begin"]).alias("seconds")
    return pl.Series("seconds", [None] * len(frame), pl.Float64)
