"""Files to types and back: transcripts in, results out."""

from misword.io.pairing import Transcript
from misword.io.results import read_result, write_result
from misword.io.transcripts import read_corpus, read_transcript

__all__ = [
    "Transcript",
    "read_corpus",
    "read_result",
    "read_transcript",
    "write_result",
]
