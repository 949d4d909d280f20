"""The result of a corruption: noisy texts, their errors, and the realised word error rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from misword.core import display, tables
from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.core.formatting import counted, percent
from misword.core.lazy import pl
from misword.core.signature import Signature
from misword.core.types import Corpus, DisplayedResult, Result
from misword.core.version import __version__
from misword.noise.arrays import Ints
from misword.noise.channels import Channel
from misword.noise.corruption.drawer import Drawer
from misword.noise.corruption.drawing import (
    DELETED,
    DELETION,
    INSERTION,
    KINDS,
    SUBSTITUTION,
    UNCHANGED,
    CorruptedBlock,
    WordEdits,
)
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.targets import ErrorCapacity, Realised
from misword.noise.corruption.text_block import TextBlock
from misword.noise.corruption.wanted import WantedRows
from misword.noise.error_model import Mix
from misword.stat.descriptions.noise import CORRUPTION


def error_table(
    blocks: Iterable[tuple[TextBlock, CorruptedBlock]], sampler: Drawer
) -> pl.DataFrame:
    """Return the errors of consecutive blocks, in the order of the text; `utt` counts from 1."""
    tables, first = [_empty()], 0
    for block, corrupted in blocks:
        tables.append(_block_table(block, corrupted.edits, sampler, first))
        first += len(block)
    return pl.concat(tables)


@dataclass(frozen=True, slots=True, eq=False)
class _Errors:
    """The errors of a block, as columns.

    `word` is the edited word, or the word beside an insertion. `new` is the id of the new word, or
    `DELETED`. `position` counts the words of a row from 1; an insertion has the position of the
    word before it, 0 at the beginning of the row.
    """

    word: Ints
    new: Ints
    kind: Ints
    position: Ints

    @classmethod
    def of(cls, block: TextBlock, edits: WordEdits) -> _Errors:
        size, offsets, row_of = len(edits.words), block.offsets, block.row_of
        edited = np.flatnonzero(edits.words != UNCHANGED)
        gaps = np.flatnonzero(edits.insertions >= 0)
        in_front = gaps >= size
        beside = gaps.copy()
        beside[in_front] = offsets[gaps[in_front] - size]
        word = np.concatenate([edited, beside])
        new = np.concatenate([edits.words[edited], edits.insertions[gaps]])
        kind = np.full(len(word), INSERTION)
        kind[: len(edited)] = np.where(edits.words[edited] == DELETED, DELETION, SUBSTITUTION)
        position = word - offsets[row_of[word]] + 1 - int(block.labelled)
        position[len(edited) :][in_front] = 0
        order = np.lexsort((kind, position, row_of[word]))
        return cls(word[order], new[order], kind[order], position[order])


def _block_table(block: TextBlock, edits: WordEdits, sampler: Drawer, first: int) -> pl.DataFrame:
    """Return the errors of one block, which has `first` rows before it."""
    errors = _Errors.of(block, edits)
    substituted, inserted = errors.kind == SUBSTITUTION, errors.kind == INSERTION
    token = block.tokens.ids[errors.word]
    old = pl.Series("old", block.vocabulary, pl.String).gather(token)
    rows = sampler.shapes(block.vocabulary).row[token]
    details = np.full((3, len(token)), np.nan)
    details[:, substituted] = sampler.details(rows[substituted], errors.new[substituted])
    details[0, inserted] = sampler.insertion_probability(errors.new[inserted])
    words = pl.Series("new", list(sampler.vocabulary), pl.String)
    new = words.gather(np.maximum(errors.new, 0)) if len(words) else words
    columns = {
        "utt": pl.Series(block.row_of[errors.word] + 1 + first, dtype=pl.Int64),
        "position": pl.Series(errors.position, dtype=pl.Int64),
        "kind": pl.Series(list(KINDS)).gather(errors.kind),
        "old": old.set(pl.Series(inserted), None),
        "new": new.set(pl.Series(errors.new < 0), None),
    }
    names = ("probability", "phonological", "semantic")
    columns |= {n: pl.Series(v).fill_nan(None) for n, v in zip(names, details, strict=True)}
    return pl.DataFrame(columns, schema=_empty().schema)


def _empty() -> pl.DataFrame:
    return pl.DataFrame(
        schema={
            "utt": pl.Int64, "position": pl.Int64, "kind": pl.String, "old": pl.String,
            "new": pl.String, "probability": pl.Float64, "phonological": pl.Float64,
            "semantic": pl.Float64,
        }
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Corrupted(display.Displayed):
    """A corpus at one word error rate.

    `texts` are the noisy texts; `realised` has the target, the counts of errors and the WER.
    """

    texts: list[str]
    realised: Realised
    _blocks: Sequence[tuple[TextBlock, CorruptedBlock]]
    _sampler: Drawer

    def overview(self) -> display.Overview:
        """Return the realised word error rate and the first texts."""
        wer = percent(self.realised.wer)
        title = f"Corrupted: {counted(len(self.texts), 'text')} at WER {wer} %"
        rows = ((text,) for text in self.texts)
        return display.Overview.of_rows(title, rows, (tables.text("text"),), len(self.texts))

    @cached_property
    def truth(self) -> pl.DataFrame:
        """Each error: `utt position kind old new probability phonological semantic`.

        `utt` counts utterances from 1, `position` the words of the original from 1; an inserted
        word has the position of the word before it, 0 at the beginning.
        """
        return error_table(self._blocks, self._sampler)


@dataclass(frozen=True, eq=False, repr=False)
class Corruption(DisplayedResult):
    """A corpus at several word error rates; each of them is a system.

    `references` are the clean texts with their ids. `levels` has the noisy texts by the name of
    their system, such as `wer-0.30`. `notes` are facts that the numbers do not show, `sha256` has
    the hash of each file that was read.

    The texts of shards are in the written files: `references` and `levels` have none, and `rows` is
    the number of texts. `shards` identifies the data, `failures` has the error of each shard that
    was left out.
    """

    references: pl.DataFrame
    levels: dict[str, Corrupted]
    signature: Signature
    notes: tuple[str, ...] = ()
    sha256: Mapping[str, str] = field(default_factory=dict)
    rows: int | None = None
    shards: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[MiswordError, ...] = ()
    description = CORRUPTION

    @property
    def corpus(self) -> Corpus:
        """The clean texts as references, the noisy texts as hypotheses of systems."""
        noisy = {name: pl.Series("text", level.texts) for name, level in self.levels.items()}
        return Corpus.of(self.references, noisy)

    @property
    def summary(self) -> pl.DataFrame:
        """A row for each level: the target (`asked`) and the realised word error rate, counts."""
        return pl.DataFrame([summary_row(level.realised) for level in self.levels.values()])

    @property
    def truth(self) -> pl.DataFrame:
        """Every error of every level, with `system` and the utterance ids in front."""
        ids = self.references["utt"]
        tables = [
            level.truth.select(
                pl.lit(name).alias("system"), ids.gather(level.truth["utt"] - 1), pl.exclude("utt")
            )
            for name, level in self.levels.items()
        ]
        return pl.concat(tables)

    def shown(self) -> Result:
        """Return the summary without the texts."""
        return self._summary()

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.summary

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return all tables as a result that can be written."""
        result = self._summary(provenance)
        if self.shards:
            return result
        corpus = self.corpus
        further = {
            "truth": self.truth,
            "references": corpus.references,
            "hypotheses": corpus.hypotheses,
        }
        return replace(result, tables=result.tables | further)

    def _summary(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the summary as a result."""
        facts = {"misword": __version__, **(provenance or {}), "signature": str(self.signature)}
        facts |= {"shards": dict(self.shards)} if self.shards else {}
        return Result("corruption", {"summary": self.summary}, facts)


def summary_row(realised: Realised) -> dict[str, Any]:
    """Return the row of a level in the summary."""
    target = realised.target
    return {
        "system": target.name,
        "asked": target.wer,
        "wer": realised.wer,
        "substitutions": realised.substitutions,
        "deletions": realised.deletions,
        "insertions": realised.insertions,
        "hits": realised.hits,
        "words": target.capacity.words,
        "left_alone": target.capacity.left_alone,
    }


def signature(
    channel: Channel,
    context: Context,
    mix: Mix,
    seed: int,
    drawn: str = "",
    protection: Protection | None = None,
    wanted: WantedRows | None = None,
) -> Signature:
    """Return the signature of a corruption: everything that decides the noisy texts.

    `drawn` is `row` if the errors of each row are drawn on their own, as for shards.
    """
    shares = ((name, share) for name, share in zip("sdi", mix.shares, strict=True) if share)
    mixed = (("mix", ",".join(f"{name}={share:g}" for name, share in shares)),)
    return Signature(
        "corrupt",
        (
            *channel.settings(context),
            *(mixed if channel.mixes else ()),
            *(protection.settings if protection else ()),
            *(wanted.settings if wanted else ()),
            ("seed", str(seed)),
            *((("drawn", drawn),) if drawn else ()),
            ("norm", "nfc"),
            ("words", "whitespace"),
            ("v", str(channel.revision)),
        ),
    )


def substitution_notes(capacity: ErrorCapacity) -> tuple[str, ...]:
    """Return a note on the words that the channel cannot substitute, if there are any."""
    count = capacity.left_alone
    return (left_alone_note(count, capacity.words),) if count else ()


def left_alone_note(left_alone: int, words: int) -> str:
    """Return the note on the number of words that a channel leaves alone."""
    rest = "the channel has no substitute for them"
    return f"{left_alone:,} of {words:,} words are not changed: {rest}"
