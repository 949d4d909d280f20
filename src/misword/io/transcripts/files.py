"""The files of a corpus as a source, which is read after all options were checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from misword.core.types import Corpus
    from misword.io.files.sources import PathLike


@dataclass(slots=True)
class CorpusFiles:
    """The files of a corpus and how they are read; a call reads them.

    Attributes:
        reference: the file of the references, or of both sides.
        hypotheses: the file of each system.
        reading: the options of `misword.read_corpus`.
        ranks: how many hypotheses of each N-best list are read; None for all.
        notes: what the last call left out.
    """

    reference: PathLike
    hypotheses: Sequence[PathLike]
    reading: Mapping[str, Any]
    ranks: int | None = 1
    notes: tuple[str, ...] = field(default=(), init=False)

    def __call__(self) -> Corpus:
        """Read the corpus; keep the notes."""
        from misword.io.transcripts.read import read_corpus

        corpus, self.notes = read_corpus(
            self.reference, self.hypotheses, nbest=self.ranks != 1, **self.reading
        )
        return corpus if self.ranks in (None, 1) else self._first_ranks(corpus, self.ranks)

    def _first_ranks(self, corpus: Corpus, most: int) -> Corpus:
        """Return the first hypotheses of each list, and keep a note on those that are left out."""
        kept = corpus.hypotheses.filter(corpus.hypotheses["rank"] <= most)
        if left_out := len(corpus.hypotheses) - len(kept):
            lists = f"N-best lists: hypotheses of ranks above {most} are left out ({left_out:,})"
            self.notes = (*self.notes, lists)
        return replace(corpus, hypotheses=kept)
