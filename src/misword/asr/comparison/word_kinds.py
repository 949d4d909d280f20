"""Errors by kind of reference word: part of speech, frequency, length; entities and keywords."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

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
Sums = NDArray[np.float64] | NDArray[np.int32]


def slices(
    words: Iterable[pl.DataFrame],
    systems: Sequence[str],
    bootstrap: Bootstrap,
    blocks: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Compute error rate and mean semantic distance of reference words by slice, value and system.

    `words` are parts of the table `Scores.words()`, each with all rows of some utterances; the
    first of `systems` is the baseline. The slices are
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
    if reference_words.tag_names:
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


class WordRows(NamedTuple):
    """The aligned reference words of some utterances, a row for each word and system.

    `rows` has the number of each `word`, whether it is `wrong`, and its `tag` and `distance` if a
    metric needed them. Rows that follow each other have the same owner: `owners` has the number of
    rows (`len`), the number of the `system`, and that of the `unit` that is resampled (an
    utterance, or a block). There may be many millions of rows, so nothing else is kept of them.
    """

    rows: pl.DataFrame
    owners: pl.DataFrame

    def codes(self, name: str) -> Codes:
        """Return the numbers of the words or tags."""
        return self.rows[name].to_numpy()

    def of_owners(self, name: str) -> Codes:
        """Return a column of the owners, repeated for their rows."""
        return np.repeat(self.owners[name].to_numpy(), self.owners["len"])

    def counted(self, codes: Codes, number: int) -> list[NDArray[Any]]:
        """Return words, errors and, if there are any, distances by owner and value.

        `codes` has the value of each row, below `number`. Each array has a row for each owner.
        """
        shape = len(self.owners), number
        cell = np.repeat(np.arange(shape[0]) * number, self.owners["len"]) + codes
        wrong = self.rows["wrong"].to_numpy()
        found = [np.bincount(cell, None, prod(shape)), np.bincount(cell[wrong], None, prod(shape))]
        small = np.min_scalar_type(int(found[0].max(initial=0)))
        columns: list[NDArray[Any]] = [column.astype(small) for column in found]
        if "distance" in self.rows.columns:
            columns.append(np.bincount(cell, self.rows["distance"].to_numpy(), prod(shape)))
        return [column.reshape(shape) for column in columns]

    def add(self, columns: Sequence[NDArray[Any]], sums: Sums) -> None:
        """Add numbers of the owners to the columns of sums (systems, units, columns)."""
        unit, system = (self.owners[name].to_numpy() for name in ("unit", "system"))
        low, high = int(unit.min()), int(unit.max()) + 1
        cell, shape = system * (high - low) + unit - low, (len(sums), high - low)
        for column, numbers in enumerate(columns):
            found = np.bincount(cell, numbers, prod(shape)).reshape(shape)
            sums[:, low:high, column] += found.astype(sums.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceWords:
    """The aligned reference words of all systems, in parts.

    `vocabulary` has the distinct words and `tag_names` the distinct tags, by number. `systems` and
    `units` are the numbers of systems and of units that are resampled.
    """

    parts: Sequence[WordRows]
    vocabulary: pl.Series
    tag_names: Sequence[str]
    systems: int
    units: int

    @classmethod
    def of(
        cls, tables: Iterable[pl.DataFrame], systems: Sequence[str], blocks: pl.DataFrame | None
    ) -> ReferenceWords:
        """Number the words, systems and units of a table of words in parts.

        The rows of an utterance are in one part.
        """
        words, tags, units = Numbering(), Numbering(), 0
        places = {name: place for place, name in enumerate(systems)}
        parts = []
        for table in tables:
            steps = table.filter(pl.col("kind").cast(pl.String) != "insertion")
            frame = single_reference_words(steps)
            kind = frame["kind"].to_physical()
            rows = [words.numbers(frame["reference"]).alias("word"), (kind != 0).alias("wrong")]
            if "tag" in frame.columns:
                rows.append(tags.numbers(frame["tag"].fill_null(NO_TAG)).alias("tag"))
            if "cosine" in frame.columns:
                far = (1 - frame["cosine"].fill_null(0.0)).zip_with(kind == 1, rows[1].cast(float))
                rows.append(far.alias("distance"))
            runs = pl.DataFrame(frame.select(pl.struct("utt", "system").rle())).unnest("utt")
            owners = runs.unnest("value").with_columns(
                pl.col("system").replace_strict(places, return_dtype=pl.Int64)
            )
            if blocks is None:
                unit = pl.Series(units + _numbered(owners["utt"])[1])
            else:
                unit = owners.join(blocks, on="utt", how="left", maintain_order="left")["block"]
            units = max(units, int(unit.to_numpy().max(initial=-1)) + 1)
            parts.append(WordRows(pl.DataFrame(rows), owners.select("len", "system", unit=unit)))
        vocabulary = pl.Series(words.values, dtype=pl.String)
        return cls(parts, vocabulary, tags.values, len(systems), units)

    def tags(self) -> tuple[list[str], Iterator[Codes]]:
        """Return the tags, the most frequent first, and the number of each word's tag, by part."""
        names = np.array(self.tag_names, np.object_)
        counts = np.zeros(len(names), np.int64)
        for part in self.parts:
            counts += np.bincount(part.codes("tag"), minlength=len(names))
        order = np.lexsort((names, -counts))
        return names[order].tolist(), (np.argsort(order)[part.codes("tag")] for part in self.parts)

    def lengths(self) -> tuple[list[str], Iterator[Codes]]:
        """Return the lengths in letters, and the number of each word's length, by part."""
        labels = [str(size) for size in range(LONGEST)] + [f"{LONGEST} and more"]
        lengths = np.minimum(self.vocabulary.str.len_chars().to_numpy(), LONGEST)
        return labels, (lengths[part.codes("word")] for part in self.parts)

    def frequency_bands(self) -> tuple[list[str], Iterator[Codes]]:
        """Return bands of frequency in the references, and the number of each word's band."""
        _, lower_case = _numbered(self.vocabulary.str.to_lowercase())
        # All systems have the same references, so the rows of the first system count them once.
        times = np.zeros(len(lower_case), np.int64)
        for part in self.parts:
            first = part.codes("word")[part.of_owners("system") == 0]
            times += np.bincount(first, minlength=len(times))
        counts = np.bincount(lower_case, times).astype(np.int64)
        bands = np.searchsorted(BAND_STARTS, counts[lower_case], side="right")
        ranges = [f"{low} to {high - 1}" for low, high in pairwise(BAND_STARTS)]
        labels = ["once", *ranges, f"{BAND_STARTS[-1]:,} and more"]
        return labels, (bands[part.codes("word")] for part in self.parts)

    def sums(self, codes: Iterable[Codes], number: int) -> Iterator[Sums]:
        """Yield an array (systems, units, columns) of sums for each of `number` values.

        `codes` has the value of each row, by part. Only units that have words of the value are in
        the array. The columns are the number of words, of errors and, if there are cosines, the
        distance.
        """
        counted = [part.counted(own, number) for part, own in zip(self.parts, codes, strict=True)]
        distances = any("distance" in part.rows.columns for part in self.parts)
        shape, kind = (
            (self.systems, self.units, 2 + distances),
            np.float64 if distances else np.int32,
        )
        # One value at a time: an array of all values could fill the memory.
        for value in range(number):
            sums = np.zeros(shape, kind)
            for part, columns in zip(self.parts, counted, strict=True):
                chosen = [column[:, value] for column in columns]
                if chosen[0].any():
                    part.add(chosen, sums)
            yield sums[:, sums[:, :, 0].any(axis=0)]


class Numbering:
    """Numbers of the distinct values of several columns, in order of appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def numbers(self, values: pl.Series) -> pl.Series:
        """Return the number of each value; null has none."""
        known, coded = self._numbers, values.cast(pl.Categorical)  # faster than a join
        distinct = coded.drop_nulls().unique(maintain_order=True)
        codes = distinct.to_physical().to_numpy()
        numbers = np.zeros(int(codes.max(initial=0)) + 1, np.uint32)
        texts = distinct.cast(pl.String).to_list()
        numbers[codes] = [known.setdefault(value, len(known)) for value in texts]
        return pl.Series("number", numbers).gather(coded.to_physical())

    @property
    def values(self) -> list[str]:
        """All values, by number."""
        return list(self._numbers)


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
