"""Reading and writing of files: transcripts, lexicons, word vectors and results."""

from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.results import read_result, write_result
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript

__all__ = [
    "Lexicon",
    "Transcript",
    "read_corpus",
    "read_lexicon",
    "read_result",
    "read_transcript",
    "write_result",
]
