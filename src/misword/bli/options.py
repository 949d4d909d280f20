"""Options of the functions that map word vectors and make, judge and evaluate lexicons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from misword.core.options import Group, Need, Option, share, whole
from misword.embed.options import Threads
from misword.io.options import READING, DictionaryReading, column_names
from misword.stat.options import Resampling, seed

if TYPE_CHECKING:
    from misword.bli.retrievers import Retriever
    from misword.embed.vectors.words import WordVectors

TRAINING = Group("training")
VECTORS = Group("vectors")
CRITERIA = Group("criteria")
WORDS = Group("words")
COMPARED = Group("what the lexicon is compared with")
SYSTEMS = Group("systems")
CLEANING = Group("cleaning")
DRAFTS = Group(
    "drafts of dictionaries",
    "--draft, --report, --judged or --accepted make a draft: a row for each headword, the most "
    "reliable first, with a column for verdicts; -o then writes the draft",
)
K_VALUES = (1, 5, 10)  # numbers of candidates in rates
CANDIDATES, DRAFT_CANDIDATES = 10, 5  # for each word that is translated
OovRule = Literal["drop", "source", "error"]
OOV_RULES: dict[OovRule, str] = {
    "drop": "headwords without a pair of words with vectors are left out, as in MUSE and VecMap",
    "source": "headwords without a vector are left out",
    "error": "every headword counts, as in RCSLS",
}
LemmaRule = Literal["candidate", "both"]
LEMMA_RULES: dict[LemmaRule, str] = {
    "candidate": "the candidate's lemma is the gold translation as written, as in Denisová's paper",
    "both": "the candidate and the gold translation have a lemma in common, in any case",
}
# What has no row of its own in the draft of a whole vocabulary, unless it is asked for.
INCLUDED = {
    "forms": "inflected forms of other headwords",
    "known": "words of the training lexicon",
    "names": "names",
    "function-words": "function words",
    "symbols": "words without a letter",
}
LEFT_OUT = ("proper-noun", "training-pair")
DEFAULT_METHOD = "vecmap-s"
MAX_WORDS = 200_000  # that are read of each file of vectors to be mapped


def numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers above 0, separated by commas."""
    try:
        found = tuple(dict.fromkeys(int(number) for number in text.split(",")))
    except ValueError:
        found = (0,)
    if min(found) < 1:
        raise ValueError(f"{text} is not a list of numbers above 0, such as 1,5,10")
    return found


def explained(rules: Mapping[Any, str]) -> str:
    """Return the names of rules, each with what it means."""
    return "; ".join(f"{name}: {about}" for name, about in rules.items())


def flag_names(text: str) -> list[str]:
    """Read names that are separated by commas; `none` is the empty list."""
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]


def included_names(text: str) -> tuple[str, ...]:
    """Read names of `INCLUDED`, separated by commas; `all` stands for all of them.

    >>> included_names("known,names"), included_names("none")
    (('known', 'names'), ())
    """
    found = tuple(INCLUDED) if text == "all" else tuple(flag_names(text))
    if unknown := [name for name in found if name not in INCLUDED]:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(INCLUDED)}, all, none")
    return found


def given_flag(*names: str) -> Need:
    """Return the need of an audit that gives one of some flags; without --flags all are given."""
    return Need(
        "flags",
        " or ".join(names),
        lambda flags: flags is None or any(name in flags for name in names),
    )


class TrainingData(TypedDict, total=False):
    """What a mapping is learnt from."""

    lexicon: Annotated[
        Any,
        Option(
            "training lexicon: pairs to learn from, source word first",
            metavar="FILE",
            group=TRAINING,
            common=True,
            is_file=True,
        ),
    ]
    valid: Annotated[
        Any,
        Option(
            "validation lexicon: pairs on which hit@1 is measured during training; muse-* also "
            "select the result by it",
            metavar="FILE",
            group=TRAINING,
            common=True,
            is_file=True,
        ),
    ]
    rerank: Annotated[
        Any,
        Option(
            "lexicon to learn a reranker from, usually that of --lexicon; `translate` and "
            "`evaluate` then use it, unless --retriever names another",
            metavar="FILE",
            group=TRAINING,
            common=True,
            is_file=True,
        ),
    ]
    max_words: Annotated[
        int | None,
        Option(
            "read the first N words of each file",
            default=MAX_WORDS,
            metavar="N",
            read=whole(1),
            group=TRAINING,
            common=True,
        ),
    ]
    seed: Annotated[
        int,
        Option("seed of the training", default=0, metavar="N", read=seed, group=TRAINING),
    ]
    vector_format: Annotated[
        str | None,
        Option(
            "format of the word vectors (default: recognised by content)",
            metavar="NAME",
            group=TRAINING,
            registry="vector_formats",
        ),
    ]


class MapOptions(TrainingData, Threads, total=False):
    """The options of `misword.map_vectors`."""

    output: Annotated[
        str | PathLike[str] | None,
        Option(
            "file for the mapping, such as en-fr.map",
            metavar="FILE",
            flags=("-o", "--output"),
            common=True,
            was="out",
        ),
    ]
    resume: Annotated[
        bool,
        Option("continue an interrupted training", default=False, group=TRAINING, common=True),
    ]


class MappedVectors(Threads, total=False):
    """The vectors of a mapping, and the direction of translation."""

    reverse: Annotated[
        bool,
        Option(
            "translate from the target language to the source language",
            default=False,
            group=VECTORS,
            common=True,
        ),
    ]
    source: Annotated[
        WordVectors | str | PathLike[str] | None,
        Option(
            "path of the source vectors of a mapping, if they were moved",
            metavar="FILE",
            group=VECTORS,
            is_file=True,
        ),
    ]
    target: Annotated[
        WordVectors | str | PathLike[str] | None,
        Option(
            "path of the target vectors of a mapping, if they were moved",
            metavar="FILE",
            group=VECTORS,
            is_file=True,
        ),
    ]


class FirstWords(TypedDict, total=False):
    """How many words are used."""

    max_words: Annotated[
        int | None,
        Option(
            "use only the first N words of each language (default: all words)",
            metavar="N",
            read=whole(1),
            group=VECTORS,
        ),
    ]


class OneRetriever(TypedDict, total=False):
    """What ranks candidates."""

    retriever: Annotated[
        str | Retriever | None,
        Option(
            "how candidates are found and ranked; options after a colon: csls:neighbors=5 "
            "(default: reranked if the mapping has a reranker, else csls)",
            metavar="NAME",
            common=True,
            registry="retrievers",
            needs=("predictions",),
        ),
    ]


class FailedMappings(TypedDict, total=False):
    """Whether a mapping is used although its training failed."""

    force: Annotated[
        bool,
        Option(
            "replace an older result in --out; with --all, use a mapping whose training failed",
            default=False,
        ),
    ]


class TranslateOptions(MappedVectors, FirstWords, OneRetriever, FailedMappings, total=False):
    """The options of `misword.translate`."""


class DraftOptions(MappedVectors, FirstWords, FailedMappings, total=False):
    """The options of `misword.draft_lexicon`."""

    retriever: Annotated[
        str | Retriever | None,
        Option(
            "how candidates are found and ranked; options after a colon: csls:neighbors=5 "
            "(default: reranked if the mapping has a reranker, else csls)",
            metavar="NAME",
            common=True,
            registry="retrievers",
        ),
    ]
    judged: Annotated[
        str | PathLike[str] | None,
        Option(
            "a draft with verdicts (.xlsx, .csv, .tsv), or the file that the page saves: the "
            "verdicts are kept",
            metavar="FILE",
            group=DRAFTS,
            common=True,
            is_file=True,
        ),
    ]
    include: Annotated[
        Sequence[str] | None,
        Option(
            "what has rows of its own beside new lemmas, separated by commas: "
            f"{', '.join(INCLUDED)}; or all, or none (default: none for --all, all for words that "
            "are named)",
            metavar="LIST",
            read=included_names,
            group=DRAFTS,
            common=True,
        ),
    ]
    examples: Annotated[
        Sequence[str | PathLike[str]] | None,
        Option(
            "sentences, one on each line, of the source language and perhaps of the target "
            "language: each sense gets a short one with common words, each headword its frequency",
            metavar="FILE",
            values="+",
            group=DRAFTS,
            common=True,
            is_file=True,
        ),
    ]
    phrases: Annotated[
        Sequence[str | PathLike[str]] | None,
        Option(
            "multi-word expressions, one on each line, of the source language and perhaps of the "
            "target language, which become headwords and candidates",
            metavar="FILE",
            values="+",
            group=DRAFTS,
            is_file=True,
        ),
    ]
    find_phrases: Annotated[
        bool,
        Option(
            "find multi-word expressions in the files of --examples",
            default=False,
            group=DRAFTS,
            needs=("examples",),
        ),
    ]
    source_lang: Annotated[
        str | None,
        Option(
            "language of the mapping's source vectors, for parts of speech, lemmas and names "
            "(default: by the name of their file)",
            metavar="CODE",
            group=DRAFTS,
        ),
    ]
    target_lang: Annotated[
        str | None,
        Option(
            "language of the mapping's target vectors (default: by the name of their file)",
            metavar="CODE",
            group=DRAFTS,
        ),
    ]


class EvaluateOptions(MappedVectors, Resampling, total=False):
    """The options of `misword.evaluate`."""

    candidates: Annotated[
        Any,
        Option(
            "candidates that another tool made: a table of words, candidates and, if there are "
            "any, ranks or scores; or JSON lines; may be repeated",
            default=(),
            metavar="FILE",
            repeated=True,
            common=True,
            is_file=True,
        ),
    ]
    retriever: Annotated[
        str | Sequence[str] | None,
        Option(
            "one or several ways to find and rank candidates; options after a colon: "
            "csls:neighbors=5 (default: reranked for mappings with a reranker, else csls); for one "
            "mapping: b.map:retriever=csls",
            metavar="LIST",
            common=True,
            registry="retrievers",
        ),
    ]
    oov: Annotated[
        OovRule,
        Option(
            "rule for words without a vector, for hit@k: " + explained(OOV_RULES),
            default="drop",
            common=True,
        ),
    ]
    by: Annotated[
        str | Sequence[str],
        Option(
            "columns of the gold file to slice it by; pos is made by a tagger, if the file has no "
            "such column and --source-lang is given",
            default=(),
            metavar="COLUMNS",
            read=column_names,
            common=True,
        ),
    ]
    gold_flags: Annotated[
        bool,
        Option(
            "also slice the lexicon by its flags, which `misword audit -o` wrote", default=False
        ),
    ]
    lemmas: Annotated[
        str | None,
        Option(
            "language of the translations: a candidate can also be right by its lemma",
            metavar="LANG",
            common=True,
        ),
    ]
    lemmatizer: Annotated[
        str,
        Option(
            "lemmatizer (default: that of the language); `misword parts --lang sk` lists them",
            default="",
            metavar="NAME",
            needs=("lemmas",),
        ),
    ]
    lemma_rule: Annotated[
        LemmaRule,
        Option(
            explained(LEMMA_RULES),
            default="candidate",
            needs=("lemmas",),
        ),
    ]
    source_lang: Annotated[
        str | None,
        Option(
            "language of the headwords, the words to translate",
            metavar="CODE",
            common=True,
            needs=("by", "unseen"),
        ),
    ]
    tagger: Annotated[
        str, Option("tagger (default: that of the language)", default="", metavar="NAME")
    ]
    unseen: Annotated[
        bool,
        Option(
            "leave out the headwords that a mapping was trained on (by lemma too, with "
            "--source-lang)",
            default=False,
            common=True,
        ),
    ]
    max_words: Annotated[
        int | Sequence[int] | None,
        Option(
            "use only the first N words of each language (default: all words); several numbers "
            "are compared, such as 50000,200000",
            metavar="LIST",
            read=numbers,
            group=VECTORS,
        ),
    ]


class Criteria(TypedDict, total=False):
    """The criteria of a gold set; None means the default of the purpose.

    Both words of a pair must be one word (with `multiword`, also several), have a letter, and be
    among the first `max_words` words of their vectors. The evaluation set has `size` headwords. A
    headword with more `senses` than the range has is left out as a whole, since without some of its
    translations right answers would count as wrong. The training lexicon has the `train_size` most
    frequent of the other headwords.
    None of them has the lemma of a headword of the evaluation set; with `disjoint="both"` no
    translation has the lemma of one of its translations either.
    """

    multiword: Annotated[
        bool,
        Option(
            "keep pairs of several words if each word is among the vectors",
            default=False,
            group=CRITERIA,
        ),
    ]
    size: Annotated[
        int | None,
        Option(
            "headwords of the evaluation set (default 1500)",
            metavar="N",
            read=whole(1),
            group=CRITERIA,
            common=True,
        ),
    ]
    train_size: Annotated[
        int | None,
        Option(
            "headwords of the training lexicon (default 5000)",
            metavar="N",
            read=whole(0),
            group=CRITERIA,
            common=True,
        ),
    ]
    max_words: Annotated[
        int | None,
        Option(
            "only the first N words of each file of vectors (default 200000)",
            metavar="N",
            read=whole(1),
            group=CRITERIA,
        ),
    ]
    pos: Annotated[
        str | None,
        Option(
            "parts of speech of the evaluation set, with their shares (NOUN:50,VERB:50) or "
            "without (default NOUN,VERB,ADJ,ADV,NUM); an empty list takes all",
            metavar="LIST",
            group=CRITERIA,
            common=True,
        ),
    ]
    bands: Annotated[
        str | None,
        Option(
            "frequency bands of headwords by their highest ranks, with their shares "
            "(5000:60,50000:40) or without",
            metavar="LIST",
            group=CRITERIA,
        ),
    ]
    senses: Annotated[
        str | tuple[int, int] | None,
        Option("number of senses of a headword: 1-3, 2-, 1", metavar="RANGE", group=CRITERIA),
    ]
    exclude: Annotated[
        str | Sequence[str] | None,
        Option(
            "identical (words written alike), names (proper nouns)", metavar="LIST", group=CRITERIA
        ),
    ]
    forms: Annotated[
        str | None,
        Option(
            "words as they are in the dictionary (as-is, default), their lemmas, or expand: add "
            "the inflected forms of translations to the evaluation set",
            choices=("as-is", "lemmas", "expand"),
            group=CRITERIA,
        ),
    ]
    disjoint: Annotated[
        str | None,
        Option(
            "training and evaluation share no lemma of headwords (default), or of both sides",
            choices=("headwords", "both"),
            group=CRITERIA,
        ),
    ]
    seed: Annotated[
        int | None,
        Option("seed of the draw (default 0)", metavar="N", read=seed, group=CRITERIA),
    ]


class Analyzers(TypedDict, total=False):
    """Names of lemmatizers and taggers in place of the defaults of the languages."""

    source_lemmatizer: Annotated[
        str,
        Option(
            "lemmatizer of the source language (default: that of the language)",
            default="",
            metavar="NAME",
            group=WORDS,
        ),
    ]
    target_lemmatizer: Annotated[
        str,
        Option(
            "lemmatizer of the target language (default: that of the language)",
            default="",
            metavar="NAME",
            group=WORDS,
        ),
    ]
    tagger: Annotated[
        str,
        Option(
            "tagger of the source language, for headwords to which the dictionary gives no part "
            "of speech (default: that of the language, if there is one)",
            default="",
            metavar="NAME",
            group=WORDS,
        ),
    ]


class BuildOptions(Criteria, DictionaryReading, Analyzers, total=False):
    """The options of `misword.build`."""

    purpose: Annotated[
        Literal["lexicography", "learners"],
        Option(
            "lexicography: words of all frequencies and senses; learners: --bands 10000 "
            "--senses 1-3",
            default="lexicography",
            group=CRITERIA,
            common=True,
        ),
    ]
    audit: Annotated[
        bool,
        Option(
            "do not look for what `misword audit` flags in the evaluation set",
            default=True,
            was="audited",
        ),
    ]
    output: Annotated[
        str | PathLike[str] | None,
        Option(
            "folder for the gold set",
            metavar="DIR",
            flags=("-o", "--output"),
            required=True,
            common=True,
            recorded=False,
            was="out",
        ),
    ]
    force: Annotated[
        bool,
        Option("replace an older gold set in -o", default=False, common=True, recorded=False),
    ]


class AuditOptions(TypedDict, total=False):
    """The options of `misword.audit`."""

    flags: Annotated[
        str | Iterable[str] | None,
        Option(
            "which flags are given (default: all that can be given)",
            metavar="LIST",
            common=True,
            registry="flags",
        ),
    ]
    threshold: Annotated[
        float,
        Option(
            "probability from which a pair counts as flagged",
            default=0.5,
            metavar="P",
            read=share,
            common=True,
        ),
    ]
    leave_out: Annotated[
        Sequence[str] | None,
        Option(
            "flags whose pairs are left out of the cleaned lexicon, or none (default: "
            f"{','.join(LEFT_OUT)}, as far as they are given)",
            metavar="LIST",
            read=flag_names,
            group=CLEANING,
            common=True,
        ),
    ]
    source_vectors: Annotated[
        Any,
        Option(
            "word vectors of the source language",
            metavar="FILE",
            group=COMPARED,
            is_file=True,
            common=True,
        ),
    ]
    target_vectors: Annotated[
        Any,
        Option(
            "word vectors of the target language",
            metavar="FILE",
            group=COMPARED,
            is_file=True,
            common=True,
        ),
    ]
    max_words: Annotated[
        int | None,
        Option(
            "read only the first N vectors",
            metavar="N",
            read=whole(1),
            group=COMPARED,
            needs=("source_vectors", "target_vectors", "predictions"),
        ),
    ]
    training: Annotated[
        Any,
        Option(
            "the lexicon that mappings are trained on",
            metavar="FILE",
            group=COMPARED,
            is_file=True,
            common=True,
            was="train",
            needs=(given_flag("training-pair", "training-headword"),),
        ),
    ]
    dictionaries: Annotated[
        Any,
        Option(
            "other dictionaries of the same languages and direction: tables, TEI, StarDict, "
            "dictd, apertium, Wiktextract",
            default=(),
            metavar="FILE",
            values="+",
            group=COMPARED,
            is_file=True,
            common=True,
            needs=(given_flag("missing-synonym"),),
        ),
    ]
    reverse_dictionaries: Annotated[
        Any,
        Option(
            "other dictionaries, from the target language to the source language",
            default=(),
            metavar="FILE",
            values="+",
            group=COMPARED,
            is_file=True,
            needs=(given_flag("missing-synonym"),),
        ),
    ]
    paradigms: Annotated[
        Any,
        Option(
            "inflected forms of the target language (UniMorph)",
            metavar="FILE",
            group=COMPARED,
            is_file=True,
            needs=(given_flag("missing-form"),),
        ),
    ]
    pos_column: Annotated[
        str | None,
        Option(
            "column with parts of speech (default: a column with a usual name, else a tagger)",
            metavar="NAME",
            group=READING,
        ),
    ]


class SystemOptions(OneRetriever, FirstWords, Threads, Resampling, total=False):
    """The options of `Audit.compare_systems`."""

    judge: Annotated[
        str | PathLike[str] | None,
        Option(
            "table of verdicts on errors (.tsv, .csv): written if there is none, else read and "
            "completed",
            metavar="FILE",
            group=SYSTEMS,
            common=True,
        ),
    ]
