"""Files of transcripts as a source, which is read after all options were checked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from misword.core.errors import MismatchError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.io.files.sources import open_source

if TYPE_CHECKING:
    from misword.io.files.sources import PathLike


@dataclass(slots=True)
class CorpusFiles:
    """The files of a corpus and how they are read; a call reads them.

    Attributes:
        reference: the file of the references, or of both sides.
        hypotheses: the file of each system.
        reading: the options of `misword.read_corpus`.
        ranks: how many hypotheses of each N-best list are read; None for all.
        without_words: whether files with times of speakers alone are read too.
        notes: what the last call left out.
    """

    reference: PathLike
    hypotheses: Sequence[PathLike]
    reading: Mapping[str, Any]
    ranks: int | None = 1
    without_words: bool = False
    notes: tuple[str, ...] = field(default=(), init=False)

    def __call__(self) -> Corpus:
        """Read the corpus; keep the notes."""
        from misword.io.transcripts.read import read_corpus

        corpus, self.notes = read_corpus(
            self.reference,
            self.hypotheses,
            nbest=self.ranks != 1,
            without_words=self.without_words,
            **self.reading,
        )
        return corpus if self.ranks in (None, 1) else self._first_ranks(corpus, self.ranks)

    def by_recording(self, *, without_words: bool) -> CorpusFiles:
        """Return the files, to be read as whole recordings unless the user chose otherwise."""
        self.without_words = without_words
        if self.reading.get("segments", "auto") == "auto":
            self.reading = {**self.reading, "segments": "recording"}
        return self

    def _first_ranks(self, corpus: Corpus, most: int) -> Corpus:
        """Return the first hypotheses of each list, and keep a note on those that are left out."""
        self.notes = (*self.notes, *note_without_lists(corpus))
        kept = corpus.hypotheses.filter(corpus.hypotheses["rank"] <= most)
        if left_out := len(corpus.hypotheses) - len(kept):
            lists = f"N-best lists: hypotheses of ranks above {most} are left out ({left_out:,})"
            self.notes = (*self.notes, lists)
        return replace(corpus, hypotheses=kept)


def note_without_lists(corpus: Corpus) -> tuple[str, ...]:
    """Return the note that several hypotheses were asked for and no utterance has them."""
    if (corpus.hypotheses["rank"] > 1).any():
        return ()
    return ("--ranks has no effect here: no utterance has an N-best list",)


@dataclass(slots=True)
class TranslatedLists:
    """The files of translations of N-best lists; a call reads them, with the ids of the corpus.

    Attributes:
        reference: the file of the references, or of both sides.
        lists: the file of the lists of each system.
        translations: a file for each of these: lists too, or a line for each hypothesis.
        reading: the options of `misword.read_corpus` for the lists.
        notes: what the last call left out.
    """

    reference: PathLike
    lists: Sequence[PathLike]
    translations: Sequence[PathLike]
    reading: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=(), init=False)

    def __call__(self) -> Corpus:
        """Read the translations; keep the notes."""
        from misword.io.transcripts.read import names_of_systems

        self.notes = ()
        names = names_of_systems(self.lists, [], self.reading["names"])
        frames = []
        for name, path, translated in zip(names, self.lists, self.translations, strict=True):
            if self._has_lines(translated):
                rows = self._parallel(path, translated)
            else:
                rows = self._listed(translated)
            frames.append(rows.with_columns(system=pl.lit(name)))
        order = ("utt", "system", "rank", "text")
        hypotheses = pl.concat([frame.select(order) for frame in frames])
        return Corpus(hypotheses.select("utt").unique(maintain_order=True), hypotheses)

    def _has_lines(self, path: PathLike) -> bool:
        """Return whether a file has a text on each line and nothing else."""
        from misword.io.transcripts.detection import find_format

        encoding = self.reading["encoding"]
        return not os.path.isdir(path) and find_format(open_source(path, encoding)).name == "lines"

    def _listed(self, translated: PathLike) -> pl.DataFrame:
        """Read translated lists, in any format of lists."""
        from misword.io.transcripts.read import read_corpus

        names = ("encoding", "id_column", "reference_column", "missing")
        same = {name: self.reading[name] for name in names}
        corpus, notes = read_corpus(self.reference, translated, nbest=True, **same)
        self.notes += notes
        return corpus.hypotheses

    def _parallel(self, path: PathLike, translated: PathLike) -> pl.DataFrame:
        """Read a file with a line for each hypothesis, in the order of the file of the lists."""
        from misword.io.transcripts.read import read_transcript

        reading, columns = self.reading, self.reading["hypothesis_column"]
        side = {name: reading[name] for name in ("encoding", "id_column")}
        references = None
        if path != self.reference:
            references = read_transcript(
                self.reference,
                role="reference",
                input_format=reading["input_format"],
                text_column=reading["reference_column"],
                **side,
            )
        found = read_transcript(
            path,
            role="hypothesis",
            input_format=reading["hypothesis_format"] or reading["input_format"],
            text_column=columns[0] if columns else None,
            references=references,
            lists=True,
            **side,
        )
        rows = found.numbered.with_columns(rank=1) if found.lists is None else found.lists
        texts = open_source(translated, reading["encoding"]).lines.column()
        if len(texts) != rows.height:
            raise MismatchError(
                f"{counted(len(texts), 'line')} for {rows.height:,} hypotheses of {path}",
                where=str(translated),
                fix="write a line for each hypothesis, in the order of the lists",
            )
        return rows.select("utt", pl.col("rank").cast(pl.Int64), texts.alias("text"))
