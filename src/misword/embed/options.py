"""Options for the language of texts, word vectors and their training, model caches, threads."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from misword.core.options import Group, Option, whole

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors

MOST_WORKERS = 1_024
MOST_SEED = 2**32 - 1
LANGUAGE = Group("language and meaning")
VECTOR_TRAINING = Group("training of vectors")
LetterCase = Literal["lower", "keep"]
# The options that name files of word vectors, in any command.
VECTOR_FILES = (
    "vectors",
    "channel_vectors",
    "source_vectors",
    "target_vectors",
    "source",
    "target",
    "other",
    "mapping",
    "mappings",
    "file",
)

workers = whole(1, MOST_WORKERS)


class Threads(TypedDict, total=False):
    """How much of the machine is used."""

    workers: Annotated[
        int | None,
        Option(
            "threads, or with --engine the shards that are processed at a time (default: all "
            "cores)",
            metavar="N",
            read=workers,
            recorded=False,
        ),
    ]


class LanguageAndVectors(TypedDict, total=False):
    """The language of the texts, and the vectors of its words."""

    lang: Annotated[
        str | None,
        Option(
            "language of the texts (en, fr, ...): selects the lemmatizer, tagger, phonemizer, "
            "encoder or word list of metrics, normalizers and channels; `misword parts --lang fr` "
            "lists them",
            metavar="CODE",
            group=LANGUAGE,
            common=True,
            used_by_parts=True,
        ),
    ]
    vectors: Annotated[
        str | PathLike[str] | WordVectors | None,
        Option(
            "word vectors for metrics of meaning (wer-e, wer-s, ember, semdist:encoder=sif), "
            "encoders and the channel voleti: word2vec, fastText (.vec, .bin), GloVe, .npz; read "
            "once, then loaded from the cache",
            metavar="FILE",
            group=LANGUAGE,
            common=True,
            is_file=True,
            used_by_parts=True,
        ),
    ]


class VectorReading(TypedDict, total=False):
    """How word vectors are read."""

    max_words: Annotated[
        int | None,
        Option(
            "read only the first N vectors",
            metavar="N",
            read=whole(1),
            group=LANGUAGE,
            needs=VECTOR_FILES,
        ),
    ]
    vector_format: Annotated[
        str | None,
        Option(
            "format of the word vectors (default: recognised by content)",
            metavar="NAME",
            group=LANGUAGE,
            registry="vector_formats",
            needs=VECTOR_FILES,
        ),
    ]


class Language(LanguageAndVectors, VectorReading, total=False):
    """The language of the texts, its vectors, and how they are read."""


class Models(Language, Threads, total=False):
    """The language, its vectors, and what models compute for sentences."""

    cache: Annotated[
        bool,
        Option(
            "store on disk what models compute for sentences (semdist, bertscore, encoders); the "
            "next run computes only new sentences",
            default=False,
            group=LANGUAGE,
            used_by_parts=True,
        ),
    ]


class VectorTraining(TypedDict, total=False):
    """How word vectors are trained."""

    dimension: Annotated[
        int,
        Option(
            "numbers of a vector", default=100, metavar="N", read=whole(2), group=VECTOR_TRAINING
        ),
    ]
    epochs: Annotated[
        int,
        Option(
            "passes over the corpus", default=5, metavar="N", read=whole(1), group=VECTOR_TRAINING
        ),
    ]
    window: Annotated[
        int,
        Option(
            "words on each side of a word that are its context",
            default=5,
            metavar="N",
            read=whole(1),
            group=VECTOR_TRAINING,
        ),
    ]
    min_count: Annotated[
        int,
        Option(
            "words that occur less often get no vector of their own",
            default=5,
            metavar="N",
            read=whole(1),
            group=VECTOR_TRAINING,
        ),
    ]
    case: Annotated[
        LetterCase,
        Option(
            "lower: write all words in lower case; keep: as they are",
            default="lower",
            group=VECTOR_TRAINING,
        ),
    ]
    seed: Annotated[
        int,
        Option(
            "seed of the training; with --workers 1 the same seed gives the same vectors",
            default=0,
            metavar="N",
            read=whole(0, MOST_SEED),
            group=VECTOR_TRAINING,
        ),
    ]
    workers: Annotated[
        int,
        Option(
            "threads of the training; with more than one, the vectors differ a little each time",
            default=1,
            metavar="N",
            read=whole(1),
            group=VECTOR_TRAINING,
            recorded=False,
        ),
    ]
