"""Aligned words of all utterances, as one stream of numbers for each system.

Each word is stored as its position in a vocabulary, so that a page can hold tens of thousands of
utterances. Reference words that are the same for all systems are stored once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.core.types import Op, Result
from misword.report.packing import Data, packed
from misword.report.rates import positions
from misword.stat.descriptions.result_access import Titles, best_hypotheses, table

# Rows of alignments in the page beside those of the first table; a note names what is left out.
MAXIMAL_ROWS = 5_000_000
SIDES = ("reference", "hypothesis")
# Two tables that are equal in these columns have the same alignment.
ALIGNMENT = ("utt", "system", "place", "kind")
OPERATIONS = {op.name.lower(): int(op) for op in Op}
# The number of a hit whose two words differ in spelling, and of a forgiven block.
LOOSE_HIT, FORGIVEN = 4, 5
# Costs are stored as multiples of 1 / COST_UNIT; the number NO_COST means that there is no cost.
COST_UNIT, NO_COST = 10_000, 65_535


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentVocabulary:
    """The distinct words, tags and families of all alignments; the first of each is empty.

    The words of a forgiven block are one text.
    """

    words: pl.Series
    tags: pl.Series
    families: pl.Series

    @classmethod
    def of(cls, tables: list[pl.DataFrame]) -> AlignmentVocabulary:
        """Collect the words and tags of tables of aligned words."""
        sides = [frame[side] for frame in tables for side in SIDES]
        blocks = [_block_words(frame) for frame in tables if "family" in frame.columns]
        words = _distinct([*sides, *blocks])
        tags = _distinct([tags for frame in tables if (tags := _tags(frame)) is not None])
        families = _distinct([frame["family"] for frame in tables if "family" in frame.columns])
        return cls(words, tags, families)


def alignment_tables(result: Result) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Return the tables of aligned words that go into the page, and the names of the others.

    Some metrics have the same alignment as the first table and differ from it only in the case of
    the words: only their costs are added to it.
    """
    tables: dict[str, pl.DataFrame] = {}
    left_out = []
    free_rows = MAXIMAL_ROWS
    for name in sorted(result.tables, key=lambda name: name != "words"):
        frame = table(result, name) if name.split(".")[0] == "words" else None
        if frame is None:
            continue
        frame = best_hypotheses(frame)
        first = next(iter(tables), "")
        if first and frame.select(ALIGNMENT).equals(tables[first].select(ALIGNMENT)):
            tables[first] = tables[first].with_columns(frame.select(_cost_columns(frame)))
            continue
        free_rows -= frame.height if tables else 0
        if free_rows < 0:
            left_out.append(name)
        else:
            tables[name] = frame
    return tables, left_out


@dataclass(frozen=True, slots=True, eq=False)
class SystemWords:
    """The aligned words of one system, by utterance and place.

    `utterance` has the number of the utterance of each row, `operation` what happened there: the
    number of an `Op`, `LOOSE_HIT` or `FORGIVEN`.
    """

    system: str
    rows: pl.DataFrame
    utterance: NDArray[np.int64]
    operation: NDArray[np.int64]

    @classmethod
    def of(cls, frame: pl.DataFrame, system: str, ids: list[str]) -> SystemWords:
        """Take the words of one system from a table of aligned words."""
        words = frame.filter(system=system)
        utterance = positions(words["utt"].cast(pl.String), pl.Series(ids, dtype=pl.String))
        order = np.lexsort((words["place"].to_numpy(), utterance))
        order = order[utterance[order] >= 0]
        rows = words[order]
        return cls(system, rows, utterance[order], _operations(rows))

    def reference(self) -> pl.DataFrame:
        """Return a row for each reference word: `utterance` and `word`.

        The words of a forgiven block are single words here, as in texts that are not aligned.
        """
        is_block = pl.col("operation") == FORGIVEN
        split = pl.when(is_block).then(pl.col("reference").str.split(" "))
        rows = pl.DataFrame(
            {
                "utterance": self.utterance,
                "operation": self.operation,
                "reference": self.rows["reference"].cast(pl.String),
            }
        ).filter(pl.col("operation") != int(Op.INSERTION))
        words = rows.select("utterance", word=split.otherwise(pl.concat_list("reference")))
        return words.explode("word").filter(pl.col("word").fill_null("") != "")

    def sizes(self, side: str) -> NDArray[np.int64]:
        """Return the number of words of each row, of the `reference` or of the `hypothesis`."""
        texts = self.rows[side].cast(pl.String).fill_null("")
        blocks = texts.str.count_matches(" ", literal=True).to_numpy().astype(np.int64)
        return np.where(texts.to_numpy() == "", 0, 1 + blocks * (self.operation == FORGIVEN))


def _operations(frame: pl.DataFrame) -> NDArray[np.int64]:
    """Return the operation of each row of a table of aligned words."""
    names = frame["kind"].cast(pl.String)
    operation = names.replace_strict(OPERATIONS, return_dtype=pl.Int64).to_numpy()
    loose = (frame["reference"] != frame["hypothesis"]).fill_null(False).to_numpy()
    operation = np.where((operation == Op.HIT) & loose, LOOSE_HIT, operation)
    if "family" in frame.columns:
        forgiven = (frame["family"].fill_null("") != "").to_numpy()
        operation = np.where(forgiven, FORGIVEN, operation)
    return operation


def shared_reference(systems: list[SystemWords]) -> pl.DataFrame | None:
    """Return the reference words of all utterances; None if they differ between the systems.

    They differ where a reference has alternatives, or where a system lacks an utterance.
    """
    first, *others = (system.reference() for system in systems)
    return first if all(first.equals(other) for other in others) else None


def alignment_data(
    name: str,
    frame: pl.DataFrame,
    ids: list[str],
    systems: list[str],
    vocabulary: AlignmentVocabulary,
    title: Titles,
) -> Data:
    """Return one table of aligned words as data: a stream for each system, and its costs.

    `reference` has the reference words, which the streams then leave out, if several systems have
    the same.
    """
    costs = _cost_columns(frame)
    words = [SystemWords.of(frame, system, ids) for system in systems]
    shared = shared_reference(words) if len(words) > 1 else None
    streams = [
        {
            "lengths": packed(np.bincount(one.utterance, minlength=len(ids))),
            **_stream(one, vocabulary, costs, whole=shared is None),
        }
        for one in words
    ]
    data: Data = {
        "name": "" if name == "words" else title(name.removeprefix("words.")),
        "costs": [title(column.removesuffix(".cost")) for column in costs],
        "systems": streams,
    }
    if shared is not None:
        data["reference"] = packed(positions(shared["word"], vocabulary.words))
    return data


def _stream(
    words: SystemWords, vocabulary: AlignmentVocabulary, costs: list[str], *, whole: bool
) -> Data:
    """Return the alignment of one system: the operation at each place, and its words.

    If it is not `whole`, reference words are left out, except those of forgiven blocks.
    """
    frame, operation = words.rows, words.operation
    reference, hypothesis = (
        positions(frame[side].fill_null(""), vocabulary.words) for side in SIDES
    )
    families = np.zeros(len(frame), np.int64)
    if "family" in frame.columns:
        families = positions(frame["family"].fill_null(""), vocabulary.families)
    # Substitutions, loose hits and forgiven blocks have two words; a block without words on one
    # side has the empty text there. The other operations have one, since the two equal words of a
    # hit are stored once.
    has_reference = operation != Op.INSERTION if whole else operation == FORGIVEN
    has_hypothesis = ~np.isin(operation, (Op.HIT, Op.DELETION))
    stored = np.stack([has_reference, has_hypothesis], axis=1)
    tags, spacing = _tags(frame), None
    if "spacing" in frame.columns and frame["spacing"].any():
        marked = frame["spacing"].fill_null(False).to_numpy()
        spacing = packed(np.flatnonzero(marked))
    is_error = np.isin(operation, (Op.SUBSTITUTION, Op.INSERTION, Op.DELETION))
    return {
        "kinds": _packed_operations(operation),
        "words": packed(np.stack([reference, hypothesis], axis=1)[stored]),
        "families": packed(families[operation == FORGIVEN]),
        "spacing": spacing,
        "tags": None if tags is None else packed(positions(tags.fill_null(""), vocabulary.tags)),
        "costs": [packed(_stored_costs(frame[column].to_numpy(), is_error)) for column in costs],
    }


def _packed_operations(operation: NDArray[np.int64]) -> Data:
    """Return operations as bytes, three in each: they are numbers below 6."""
    filled = np.concatenate([operation, np.zeros(-len(operation) % 3, np.int64)])
    return packed(filled.reshape(-1, 3) @ np.array([1, 6, 36]))


def _stored_costs(costs: NDArray[np.float64], errors: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the costs of the errors as whole numbers, in order."""
    of_errors = costs[errors]
    whole = np.rint(np.nan_to_num(of_errors) * COST_UNIT).clip(0, NO_COST - 1)
    return np.where(np.isfinite(of_errors), whole, NO_COST).astype(np.int64)


def _cost_columns(frame: pl.DataFrame) -> list[str]:
    return [column for column in frame.columns if column.endswith(".cost")]


def _distinct(columns: list[pl.Series]) -> pl.Series:
    """Return the empty text, then each text of the columns once."""
    texts = [pl.Series([""], dtype=pl.String), *(c.cast(pl.String).drop_nulls() for c in columns)]
    return pl.concat([text.rename("word") for text in texts]).unique(maintain_order=True)


def _block_words(frame: pl.DataFrame) -> pl.Series:
    """Return the single words of the references of forgiven blocks."""
    blocks = frame.filter(pl.col("family").fill_null("") != "")["reference"].cast(pl.String)
    return blocks.str.split(" ").explode()


def _tags(frame: pl.DataFrame) -> pl.Series | None:
    """Return the tags of the reference words; for an insertion, the tag of the inserted word."""
    names = [name for name in ("tag", "hypothesis_tag") if name in frame.columns]
    return frame.select(pl.coalesce(names))[names[0]] if names else None
