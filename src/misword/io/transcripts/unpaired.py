"""Reading of hypotheses without references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from misword.core.types import Corpus
from misword.io.files.sources import PathLike
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.missing import Missing, check_missing
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import paired_corpus, read_file, refuse_two_stdins
from misword.io.transcripts.systems import names_of_systems


def read_unpaired(
    hypotheses: Sequence[PathLike],
    *,
    format: str | None = None,
    encoding: str | None = None,
    id_column: str | None = None,
    columns: Sequence[str] = (),
    names: Sequence[str] | None = None,
    missing: Missing = "error",
    nbest: bool = False,
) -> tuple[Corpus, tuple[str, ...]]:
    """Return a corpus of hypotheses, and notes on everything that was left out.

    The first hypotheses of the first file stand where a corpus has references: all systems must
    have their utterances. Several `columns` are several systems of one table. The other arguments
    are those of `read_corpus`.
    """
    refuse_two_stdins(list(hypotheses) * max(1, len(columns)))
    check_missing(missing)
    systems = names_of_systems(hypotheses, columns, names)
    sought = Columns("hypothesis", id_column, gaps=missing != "error", lists=nbest)
    read = [
        read_file(path, format, encoding, replace(sought, text=column))
        for path in hypotheses
        for column in (columns or (None,))
    ]
    sides = dict(zip(systems, read, strict=True))
    first = replace(read[0], frame=read[0].frame.select("text", "line", *_ids(read[0])))
    return paired_corpus(first, (), sides, missing)


def _ids(transcript: Transcript) -> list[str]:
    return ["utt"] if transcript.has_ids else []
