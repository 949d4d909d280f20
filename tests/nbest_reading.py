"""Reading of N-best lists, for tests of their formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from misword.core.types import Corpus
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]

REFERENCES = "utt,text\na,the cat\nb,sat down\n"


@dataclass
class ListReader:
    """Reads references of two utterances with hypotheses of a path below the test's folder.

    `notes` are the notes of the last reading.
    """

    folder: Path
    write: Write
    notes: tuple[str, ...] = ()

    def __call__(self, name: str = "h", *, references: str = REFERENCES, **options: Any) -> Corpus:
        """Read all hypotheses; check that a reading of the best ones has the same best ones."""
        path = self.write("r.csv" if "," in references else "r.txt", references)
        corpus, self.notes = read_corpus(path, self.folder / name, nbest=True, **options)
        best, notes = read_corpus(path, self.folder / name, **options)
        ours, theirs = best.hypotheses["text"], corpus.hypotheses.filter(rank=1)["text"]
        assert ours.to_list() == theirs.to_list()
        left_out = len(corpus.hypotheses) - len(best.hypotheses)
        assert any(f"({left_out} left out)" in note for note in notes) == (left_out > 0)
        return corpus


def rows(corpus: Corpus, *names: str) -> list[tuple[object, ...]]:
    """Return columns of the hypotheses, in their order."""
    return corpus.hypotheses.select("utt", "rank", "text", *names).rows()
