"""Labels of all errors of a corpus: the pairs with errors are divided into cases and labelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.writing_notes import usable_families
from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs
from misword.asr.severity.case import Case
from misword.asr.severity.closed_classes import label_closed_classes
from misword.asr.severity.content import (
    Terms,
    label_added_clause,
    label_content,
    label_critical_terms,
    label_cut_off,
    label_equal_pieces,
    label_fillers,
    label_joined_words,
    label_names,
    label_nearly_spelt,
    label_related,
    label_repetitions,
    label_sounds,
)
from misword.asr.severity.levels import CRITICAL, LABELS, LEVELS, LabelledError, score_of
from misword.asr.severity.numbers import label_numbers
from misword.asr.severity.roles import label_exchanged_words
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
FUNCTION = 0.03  # the risk of a function word

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
    `severity` says of it, `critical` the number of its critical errors. Pairs with the same words
    share their errors: `distinct` has them, and `of_pair` the place of each pair there, or -1 for a
    pair without errors.
    """

    words: Numbers
    level: Numbers
    score: NDArray[np.float64]
    critical: Numbers
    distinct: Sequence[PairErrors]
    of_pair: Numbers

    @classmethod
    def of(cls, words: Numbers, distinct: Sequence[PairErrors], of_pair: Numbers) -> PairLabels:
        """Derive levels, scores and counts from the errors."""
        levels = [[error.level for error in found.errors] for found in distinct]

        def taken(values: Iterable[float], dtype: type) -> NDArray[Any]:
            return np.array([*values, 0], dtype)[of_pair]  # -1 takes the last

        return cls(
            words,
            taken((max(own, default=0) for own in levels), np.int64),
            taken((score_of(found.errors) for found in distinct), np.float64),
            taken((own.count(CRITICAL) for own in levels), np.int64),
            distinct,
            of_pair,
        )

    def errors_of(self, pair: int) -> PairErrors | None:
        """Return the words and errors of a pair; None if it has no errors."""
        place = int(self.of_pair[pair])
        return None if place < 0 else self.distinct[place]

    def critical_with(self, label: str) -> Numbers:
        """Return how many critical errors of a label each pair has."""
        counts = [
            sum(error.label == label and error.level == CRITICAL for error in found.errors)
            for found in self.distinct
        ]
        return np.array([*counts, 0], np.int64)[self.of_pair]

    def table(self, keys: Any) -> pl.DataFrame:
        """Return a row for each error: its pair, place, label, level, risk and words.

        `place` is the number of its first word in the reference, or in the hypothesis if only that
        has words of it. `keys` identifies the pairs.
        """
        rows, ends = [], [0]
        for found in self.distinct:
            rows += [
                (
                    error.start if error.start < error.end else error.heard_start,
                    error.label,
                    LEVELS[error.level],
                    error.risk,
                    " ".join(found.reference[error.start : error.end]) or None,
                    " ".join(found.hypothesis[error.heard_start : error.heard_end]) or None,
                )
                for error in found.errors
                if error.risk
            ]
            ends.append(len(rows))
        schema: Any = {
            "place": pl.Int64, "label": pl.Enum(list(LABELS)), "level": pl.Enum(LEVELS),
            "risk": pl.Float64, "reference": pl.String, "hypothesis": pl.String,
        }  # fmt: skip
        table = pl.DataFrame(rows, schema, orient="row")
        wrong = np.flatnonzero(self.of_pair >= 0)
        places = self.of_pair[wrong]
        starts, sizes = np.array(ends)[places], np.diff(ends)[places]
        pair = np.repeat(wrong, sizes)
        row = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(len(pair))
        identified: pl.DataFrame = keys.select("utt", "system", "rank")[pair]
        return identified.hstack(table[row].get_columns())


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
    aligned = AlignedWords.of(pairs)
    wrong = np.flatnonzero(aligned.counts[:, 1:].any(axis=1))
    of_pair = np.full(len(aligned.counts), -1, np.int64)
    distinct: list[PairErrors] = []
    places: dict[tuple[bytes, bytes], int] = {}
    labels = Labels(known, phrases)
    with progress("labelling", len(wrong)) as step:
        for pair, key in zip(wrong.tolist(), aligned.keys(wrong), strict=True):
            place = places.get(key)
            if place is None:
                place = places[key] = len(distinct)
                distinct.append(labels.of_pair(*aligned.words_of(pair)))
            of_pair[pair] = place
            step(1)
    return PairLabels.of(said_words(aligned.counts), distinct, of_pair)


# Correct words around errors that their labels may depend on. Errors with more than twice as many
# between them are labelled apart, so that a recording is not searched for the words of one error.
AROUND = 6


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of pairs; errors with the same words around them are labelled once."""

    known: WordKnowledge
    terms: Terms
    _seen: dict[Any, Sequence[LabelledError]] = field(default_factory=dict)

    def of_pair(
        self, reference: Sequence[str], hypothesis: Sequence[str], operations: Sequence[int]
    ) -> PairErrors:
        """Label the errors of a pair of texts."""
        cased = self.known.is_cased(reference)
        errors: list[LabelledError] = []
        start = heard = step = 0
        for first, last in parts_with_errors(operations):
            before = operations[step:first]
            start += len(before) - before.count(Op.INSERTION)
            heard += len(before) - before.count(Op.DELETION)
            own = operations[first:last]
            end = start + len(own) - own.count(Op.INSERTION)
            heard_end = heard + len(own) - own.count(Op.DELETION)
            words = tuple(reference[start:end]), tuple(hypothesis[heard:heard_end])
            key = (*words, tuple(own), cased)
            found = self._seen.get(key)
            if found is None:
                case = labelled(Case.of(self.known, *words, own, cased=cased), self.terms)
                found = self._seen[key] = case.errors
            errors += [error.moved(start, heard) for error in found] if start or heard else found
            start, heard, step = end, heard_end, last
        return PairErrors(reference, hypothesis, errors)


def labelled(case: Case, terms: Terms = frozenset()) -> Case:
    """Label all errors of a pair, the most certain kinds first.

    Each detector labels some of the pieces that are still open. What is left are function words.
    """
    label_equal_pieces(case)
    label_joined_words(case)
    if terms:
        label_critical_terms(case, terms)
    label_repetitions(case)
    label_cut_off(case)
    label_added_clause(case)
    label_fillers(case)
    label_numbers(case)
    label_exchanged_words(case)
    label_sounds(case)
    label_closed_classes(case)
    label_related(case)
    label_nearly_spelt(case)
    label_names(case)
    label_content(case)
    for at in case.reference.in_order():
        case.label("function", FUNCTION, [at])
    for at in case.hypothesis.in_order():
        case.label("function", FUNCTION, (), [at])
    return case


def parts_with_errors(operations: Sequence[int]) -> list[tuple[int, int]]:
    """Return the beginning and end of each part with errors, and with correct words around them.

    >>> parts_with_errors([0] * 10 + [1] + [0] * 20 + [2, 0, 3])
    [(4, 17), (25, 34)]
    """
    parts: list[tuple[int, int]] = []
    for at, operation in enumerate(operations):
        if operation == Op.HIT:
            continue
        if parts and at - parts[-1][1] <= 2 * AROUND:
            parts[-1] = parts[-1][0], at + 1
        else:
            parts.append((at, at + 1))
    size = len(operations)
    return [(max(0, first - AROUND), min(size, last + AROUND)) for first, last in parts]


@dataclass(frozen=True, slots=True, eq=False)
class AlignedWords:
    """The words of all pairs and their alignments, after differences of writing are forgiven.

    `rows` has the places of the texts of each pair in `sides`.
    """

    alignment: Any
    counts: Numbers
    sides: tuple[Any, Any]
    rows: Numbers
    vocabulary: Sequence[str]

    @classmethod
    def of(cls, pairs: Pairs) -> AlignedWords:
        """Align the pairs."""
        forgiven = with_writing_forgiven(pairs)
        rate = EditRate()
        alignment = shown_alignment(rate, forgiven)
        sides = rate.tokens(forgiven)
        counts = np.asarray(alignment.counts, np.int64)
        return cls(alignment, counts, sides, rate.rows(forgiven), sides[0].vocabulary[:])

    def keys(self, some: Numbers) -> Iterator[tuple[bytes, bytes]]:
        """Yield the words of both sides of pairs in a form that is equal for equal words."""
        found = []
        for side, rows in zip(self.sides, self.rows[some].T, strict=True):
            content = np.ascontiguousarray(side.ids).tobytes()
            ends = side.offsets * side.ids.itemsize
            limits = zip(ends[rows].tolist(), ends[rows + 1].tolist(), strict=True)
            found.append([content[start:end] for start, end in limits])
        yield from zip(*found, strict=True)

    def words_of(self, pair: int) -> tuple[list[str], list[str], list[int]]:
        """Return the words of both sides of a pair, and its operations."""
        texts = []
        for side, row in zip(self.sides, self.rows[pair], strict=True):
            ids = side.ids[side.offsets[row] : side.offsets[row + 1]].tolist()
            texts.append([self.vocabulary[word] for word in ids])
        start, end = self.alignment.all_offsets[pair : pair + 2]
        return texts[0], texts[1], self.alignment.all_operations[start:end].tolist()


def said_words(counts: Numbers) -> Numbers:
    """Return the number of reference words of each pair."""
    return counts[:, Op.HIT] + counts[:, Op.SUBSTITUTION] + counts[:, Op.DELETION]


# Words on silence: hypotheses with words where the reference has none.

# Columns of metadata with the length of an utterance, or its begin and end, in seconds.
DURATION, ENDS = "duration", ("begin", "end")
SECONDS_PER_HOUR = 3600


def silence_table(pairs: Pairs) -> pl.DataFrame:
    """Return a row for each best hypothesis with words whose reference has none.

    `stock` names the phrase, if the hypothesis is one that recognisers write for silence, such as
    `thanks for watching`; `seconds` is the length of the utterance, if the corpus has it.
    """
    counts = AlignedWords.of(pairs).counts
    words = counts[:, Op.SUBSTITUTION] + counts[:, Op.INSERTION]
    rows = ((said_words(counts) == 0) & (words > 0)).nonzero()[0]
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
