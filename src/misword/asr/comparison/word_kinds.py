"""Errors by kind of reference word: part of speech, frequency, length; entities and keywords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.differences import paired_counts
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import ratio, ratio_of_terms
from misword.stat.paired import holm, paired, paired_sample
from misword.stat.score_tables import single_reference_words
from misword.stat.tallies.class_rates import CLASS_KEYS
from misword.stat.tallies.paired_counts import PairedCounts
from misword.stat.tallies.sums import exact_sums
from misword.stat.tallies.tally import Tally

NO_TAG = "forgiven"  # the tag of words in forgiven blocks that have several tags or none
LONGEST = 13  # letters: all words of this length and longer are one slice
BAND_STARTS = (2, 10, 100, 1000)  # lowest frequency of each band, in the references
Codes = NDArray[np.int64]
Sums = NDArray[np.float64]


def slices(
    words: pl.DataFrame,
    systems: Sequence[str],
    bootstrap: Bootstrap,
    blocks: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Compute error rate and mean semantic distance of reference words by slice, value and system.

    `words` is the table `Scores.words()`; the first of `systems` is the baseline. The slices are
    `tag` (only if a metric needed tags), `frequency` (how often the word is in the references,
    upper and lower case alike) and `length` (in letters). The distance of a correct word is 0, of
    a deleted word 1, of a substituted word 1 - cosine, or 1 if one of the two words has no vector;
    it is null if no metric needed vectors. Insertions belong to no reference word and are left out.

    Each reference word of a forgiven difference of writing is a correct word with its own frequency
    and length. A tagger reads such a block as the hypothesis writes it: if it has one tag there,
    all its reference words count with this tag, otherwise under the value `forgiven`. So the words
    of a tag can differ in number between systems; those of a frequency or a length cannot.

    Differences are against the baseline. Their intervals come from a paired bootstrap over the
    utterances that have words of the slice, or over the `blocks` (columns `utt` and `block`).

    Known problems: a word that a tagger splits has several tags, such as `DET+NOUN`, which is a
    value of its own. The distances in Table 3 of Bañeras-Roux et al. were computed with their
    vectors; distances can be compared only between systems measured with the same vectors.

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022 (Table 3).
    """

    reference_words = ReferenceWords.of(words, systems, blocks)
    codes_by_slice = {
        "frequency": reference_words.frequency_bands(),
        "length": reference_words.lengths(),
    }
    if "tag" in words.columns:
        codes_by_slice = {"tag": reference_words.tags(), **codes_by_slice}
    rows: list[dict[str, Any]] = []
    with progress("slices", sum(len(values) for values, _ in codes_by_slice.values())) as step:
        for name, (values, codes) in codes_by_slice.items():
            all_sums = reference_words.sums(codes, len(values))
            for value, sums in zip(values, all_sums, strict=True):
                rows += (
                    {"slice": name, "value": value, "system": system, **numbers}
                    for system, numbers in zip(systems, _rows(sums, bootstrap), strict=True)
                    if sums.any()
                )
                step(1)
    return pl.DataFrame(rows, schema=_slice_schema(), orient="row")


def _slice_schema() -> dict[str, Any]:
    names = dict.fromkeys(("slice", "value", "system"), pl.String())
    counts = dict.fromkeys(("words", "errors"), pl.Int64())
    rates = ("rate", "distance")
    differences = [f"{rate}_{part}" for rate in rates for part in ("difference", "low", "high")]
    return {**names, **counts, **dict.fromkeys((*rates, *differences), pl.Float64())}


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceWords:
    """The aligned reference words of all systems, a row for each word and system.

    `frame` has the rows of the word table without insertions. For each row, `word` is the number of
    its word in `vocabulary`, `system` the number of its system, and `unit` the number of the unit
    that is resampled: its utterance, or its block. `systems` is the number of systems.
    """

    frame: pl.DataFrame
    vocabulary: pl.Series
    word: Codes
    system: Codes
    unit: Codes
    systems: int

    @classmethod
    def of(
        cls, words: pl.DataFrame, systems: Sequence[str], blocks: pl.DataFrame | None
    ) -> ReferenceWords:
        """Number the words, systems and units of a table of words."""

        steps = words.filter(pl.col("kind").cast(pl.String) != "insertion")
        frame = single_reference_words(steps)
        vocabulary, word = _numbered(frame["reference"])
        names, name_codes = _numbered(frame["system"])
        places = np.array([systems.index(name) for name in names.to_list()], np.int64)
        utts, unit = _numbered(frame["utt"])
        if blocks is not None:
            joined = utts.to_frame("utt").join(blocks, on="utt", how="left", maintain_order="left")
            unit = joined["block"].to_numpy().astype(np.int64)[unit]
        return cls(frame, vocabulary, word, places[name_codes], unit, len(systems))

    def tags(self) -> tuple[list[str], Codes]:
        """Return the tags, the most frequent first, and the number of the tag of each word."""
        names, codes = _numbered(self.frame["tag"].fill_null(NO_TAG))
        order = np.lexsort((names.to_numpy(), -np.bincount(codes, minlength=len(names))))
        return names.gather(order).to_list(), np.argsort(order)[codes]

    def lengths(self) -> tuple[list[str], Codes]:
        """Return the lengths in letters, and the number of each word's length."""
        labels = [str(size) for size in range(LONGEST)] + [f"{LONGEST} and more"]
        return labels, np.minimum(self.vocabulary.str.len_chars().to_numpy(), LONGEST)[self.word]

    def frequency_bands(self) -> tuple[list[str], Codes]:
        """Return bands of frequency in the references, and the number of each word's band."""
        _, lower_case = _numbered(self.vocabulary.str.to_lowercase())
        codes = lower_case[self.word]
        # All systems have the same references, so the rows of the first system count them once.
        size = int(lower_case.max(initial=-1)) + 1
        counts = np.bincount(codes[self.system == 0], minlength=size)
        ranges = [f"{low} to {high - 1}" for low, high in pairwise(BAND_STARTS)]
        labels = ["once", *ranges, f"{BAND_STARTS[-1]:,} and more"]
        return labels, np.searchsorted(BAND_STARTS, counts, side="right")[codes]

    def sums(self, codes: Codes, number: int) -> Iterator[Sums]:
        """Yield an array (systems, units, columns) of sums for each of `number` values.

        `codes` has the value of each row. Only units that have words of the value are in the array.
        The columns are the number of words, of errors and, if there are cosines, the distance.
        """
        kind = self.frame["kind"].to_physical().to_numpy()
        wrong = (kind != 0).astype(np.float64)
        columns = [np.ones(len(kind)), wrong]
        if "cosine" in self.frame.columns:
            cosine = self.frame["cosine"].fill_null(0.0).to_numpy()
            columns.append(np.where(kind == 1, 1 - cosine, wrong))
        units = int(self.unit.max(initial=-1)) + 1
        cell, shape = self.system * units + self.unit, (self.systems, units)
        # One value at a time: an array of all values could fill the memory.
        order = np.argsort(codes, kind="stable")
        edges = np.searchsorted(codes[order], np.arange(number + 1))
        for start, end in pairwise(edges.tolist()):
            rows = order[start:end]
            summed = [np.bincount(cell[rows], c[rows], self.systems * units) for c in columns]
            sums = np.stack([column.reshape(shape) for column in summed], axis=-1, dtype=np.float64)
            yield sums[:, sums[:, :, 0].any(axis=0)]


def _numbered(values: pl.Series) -> tuple[pl.Series, Codes]:
    """Return the distinct values in order of appearance, and the number of each value."""
    distinct = values.unique(maintain_order=True)
    numbers = distinct.to_frame("value").with_row_index("number")
    joined = values.to_frame("value").join(numbers, on="value", how="left", maintain_order="left")
    return distinct, joined["number"].to_numpy().astype(np.int64)


def _rows(sums: Sums, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Yield counts, rates and differences from the baseline for each system."""
    for number, system in enumerate(sums):
        total = system.sum(axis=0)
        row: dict[str, Any] = {"words": int(total[0]), "errors": int(total[1])}
        for column, name in enumerate(("rate", "distance")[: sums.shape[2] - 1], 1):
            row[name] = _or_none(float(ratio(total[column], total[0])))
            if number:
                terms = [part[:, [column, 0]] for part in (sums[0], system)]
                if name == "rate":  # errors are whole numbers, distances are not
                    terms = [part.astype(np.int64) for part in terms]
                difference = paired(terms[0], terms[1], ratio_of_terms, bootstrap)
                row |= {
                    f"{name}_{part}": _or_none(getattr(difference, part))
                    for part in ("difference", "low", "high")
                }
        yield row


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


# Differences between systems and a baseline in classes of words: entities and keywords.

NUMBERS = ("rate", "baseline_rate", "difference", "low", "high", "p")


def entity_differences(tally: Tally, bootstrap: Bootstrap) -> pl.DataFrame:
    """Compute a row for each source, class and system except the baseline.

    Columns: both error rates of the words of the class, their difference (negative is an
    improvement) with its interval by paired bootstrap and the p-value of a paired permutation test,
    over the utterances that have words of the class, or over their blocks; `p_holm` is corrected
    for all rows; both recalls; the number of `words` and `terms` of the baseline's references.
    The classes with the most words come first. There are no rows if no entities were scored.
    """

    rows: list[dict[str, Any]] = []
    counts, others = paired_counts(tally), tally.systems[1:]
    if counts.classes is not None:
        classes = counts.class_names()
        with progress("entities", len(classes) * len(others)) as step:
            for source, name in classes:
                for other in others:
                    keys = dict(zip((*CLASS_KEYS, "system"), (source, name, other), strict=True))
                    rows.append(keys | _difference(counts, source, name, other, bootstrap))
                    step(1)
    table = pl.DataFrame(rows, schema=_class_schema(), orient="row")
    corrected = holm(table["p"].fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", corrected, pl.Float64)).fill_nan(None)


def _class_schema() -> dict[str, Any]:
    names = dict.fromkeys((*CLASS_KEYS, "system"), pl.String())
    recalls = dict.fromkeys(("recall", "baseline_recall"), pl.Float64())
    sizes = dict.fromkeys(("words", "terms"), pl.Int64())
    return {**names, **dict.fromkeys(NUMBERS, pl.Float64()), **recalls, **sizes}


def _difference(
    counts: PairedCounts, source: str, name: str, system: str, bootstrap: Bootstrap
) -> dict[str, Any]:
    """Compute the numbers of one row."""
    sides = [(side, term) for side in (counts.systems[0], system) for term in ("errors", "words")]
    sample = counts.class_sample(source, name, sides)
    numbers = asdict(paired_sample(sample, ratio_of_terms, bootstrap))
    row = {column: numbers[column] for column in NUMBERS}
    sizes = {}
    for column, side in (("baseline_recall", counts.systems[0]), ("recall", system)):
        found = counts.class_sample(source, name, [(side, "found"), (side, "terms")])
        sizes[side] = exact_sums(found)
        row[column] = float(ratio_of_terms(sizes[side]))
    words, terms = int(exact_sums(sample)[1]), int(sizes[counts.systems[0]][1])
    return {**row, "words": words, "terms": terms}
