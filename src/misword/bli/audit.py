"""Audit a gold lexicon: flags of its pairs, its composition, leaks from training, direction.

`audit` reads the lexicon and its resources, checks that the lexicon and each dictionary have the
direction from the source language to the target language, gives the flags (`flags/`), and counts
parts of speech, frequency bands and senses.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Unpack

from misword.bli.auditing.lexicon import AuditedLexicon, LexiconColumn, leak_table, ranks_of
from misword.bli.auditing.result import Audit
from misword.bli.flags import FLAGS, Flag, Flagged
from misword.bli.inputs import LexiconOrPath, language_codes, missing_column, open_lexicon
from misword.bli.mapping import open_vectors
from misword.bli.names.word_lists import levels_of
from misword.bli.open_mapping import check_max_words
from misword.bli.options import LEFT_OUT, AuditOptions
from misword.bli.word_analysis import tags_of_words
from misword.core.context import Context
from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.lazy import pl
from misword.core.options import takes
from misword.core.progress import progress
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.dictionaries.entries import Dictionary
from misword.io.dictionaries.read import read_dictionary
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon
from misword.io.paradigms import read_paradigms
from misword.text.analyzers import analyzer_for

# The last rank of each frequency band.
BANDS = (1_000, 5_000, 20_000, 50_000, 200_000)
MOST_SENSES = 5  # headwords with more senses are counted together
POS_NAMES = ("pos", "pos_tag", "upos", "part_of_speech", "tag", "wordclass", "category")
NO_TAG = "unknown"

# Rows of the table of composition: what is counted, its value, the count, and the whole.
CompositionRows = Sequence[tuple[str, str, int, int]]


def composition_table(lexicon: AuditedLexicon, tags: Sequence[str]) -> pl.DataFrame:
    """Return the numbers of pairs or headwords by part of speech, frequency band and senses.

    `tags` are the parts of speech of the pairs; empty if they are not known. `by` is what is
    counted: `part of speech`, `source frequency`, `target frequency` or `senses`; `whole` is the
    number of pairs or headwords that `count` is a part of.
    """
    rows = [
        *_count_parts_of_speech(tags),
        *(row for column in lexicon.columns for row in _count_frequency_bands(column)),
        *_count_senses(lexicon.lexicon),
    ]
    schema = {"by": pl.String, "value": pl.String, "count": pl.Int64, "whole": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def parts_of_speech(lexicon: AuditedLexicon, pos_column: str | None) -> tuple[str, list[str]]:
    """Return the origin of the parts of speech, and the part of speech of each pair.

    The origin is a column of the file, or the tagger of one of the languages. Both results are
    empty if there is neither.
    """
    columns = lexicon.lexicon.columns
    name = pos_column or _pos_column(columns)
    if name is not None:
        if name not in columns:
            raise missing_column(lexicon.lexicon, name)
        return f"column {name}", [value.strip() or NO_TAG for value in columns[name]]
    for column in lexicon.columns:
        try:
            tagger = analyzer_for(column.lang, "tag")
        except MiswordError:
            continue
        words = list(dict.fromkeys(column.words))
        tag_of = dict(zip(words, tags_of_words(tagger, words, NO_TAG), strict=True))
        return f"{tagger.name}, {column.lang}", [tag_of[word] for word in column.words]
    return "", []


def _pos_column(columns: Iterable[str]) -> str | None:
    """Return the first column with a usual name for parts of speech, such as `et_pos_tag`."""
    endings = tuple(f"_{name}" for name in POS_NAMES)
    return next((c for c in columns if c.lower() in POS_NAMES or c.lower().endswith(endings)), None)


def _count_parts_of_speech(tags: Sequence[str]) -> CompositionRows:
    counts = Counter(tags).most_common()
    return [("part of speech", tag, count, len(tags)) for tag, count in counts]


def _count_frequency_bands(column: LexiconColumn) -> CompositionRows:
    """Count the words of a column by bands of their rank in the vectors."""
    if column.ranks is None:
        return []
    words = dict(zip(column.words, column.ranks.tolist(), strict=True))
    counts = Counter(frequency_band(rank) for rank in words.values())
    names = [frequency_band(rank) for rank in (*BANDS, BANDS[-1] + 1, 0)]
    by = f"{column.side} frequency"
    return [(by, name, counts[name], len(words)) for name in names if counts[name]]


def frequency_band(rank: int) -> str:
    """Return the band of a rank.

    >>> frequency_band(900), frequency_band(1200), frequency_band(10**6), frequency_band(0)
    ('1 to 1,000', '1,001 to 5,000', 'beyond 200,000', 'no vector')
    """
    if rank == 0:
        return "no vector"
    for low, high in pairwise((0, *BANDS)):
        if rank <= high:
            return f"{low + 1:,} to {high:,}"
    return f"beyond {BANDS[-1]:,}"


def _count_senses(lexicon: Lexicon) -> CompositionRows:
    """Count the headwords by the number of their translations."""
    numbers = Counter(min(len(pairs), MOST_SENSES) for pairs in lexicon.headwords.values())
    return [
        ("senses", f"{number} or more" if number == MOST_SENSES else str(number), count,
         len(lexicon.headwords))
        for number, count in sorted(numbers.items())
    ]  # fmt: skip


# Other dictionaries of the same two languages, in any of their formats and directions.

DictionarySource = Dictionary | Lexicon | PathLike | Iterable[tuple[str, str]]
# A dictionary probably has the other direction if at least this many times as many headwords of the
# lexicon are among its translations as among its headwords, and at least this many headwords are.
SUSPICIOUS_RATIO, SUSPICIOUS_HEADWORDS = 2, 10


def open_dictionaries(
    lexicon: Lexicon,
    languages: tuple[str, str],
    dictionaries: Iterable[DictionarySource],
    reverse: Iterable[DictionarySource],
) -> tuple[Dictionary | Lexicon, ...]:
    """Return all dictionaries in the direction of the lexicon; raise if one has the other one."""
    opened = [
        *(_open(one, languages, False) for one in dictionaries),
        *(_open(one, languages, True) for one in reverse),
    ]
    for dictionary in opened:
        _check_direction(lexicon, dictionary)
    return tuple(opened)


def _open(
    dictionary: DictionarySource, languages: tuple[str, str], reverse: bool
) -> Dictionary | Lexicon:
    """Return a dictionary, read from its file or made of pairs, in the direction of the lexicon."""
    if isinstance(dictionary, str | os.PathLike):
        return read_dictionary(dictionary, *languages, reverse=reverse)
    if isinstance(dictionary, Dictionary):
        return dictionary.reversed() if reverse else dictionary
    opened = open_lexicon(dictionary)
    if not reverse:
        return opened
    return Lexicon(opened.target, opened.source, opened.lines, opened.name)


def _check_direction(lexicon: Lexicon, dictionary: Dictionary | Lexicon) -> None:
    """Raise if the dictionary has far more headwords of the lexicon as translations."""
    headwords = set(lexicon.headwords)
    known = len(headwords.intersection(dictionary.source))
    swapped = len(headwords.intersection(dictionary.target))
    if swapped >= SUSPICIOUS_HEADWORDS and swapped >= SUSPICIOUS_RATIO * max(1, known):
        raise InputError(
            f"{known:,} headwords of the lexicon are among its headwords, and {swapped:,} among "
            "its translations: it has the other direction",
            where=dictionary.name,
            fix="name it after --reverse-dictionaries (in Python: reverse_dictionaries)",
        )


# The direction of the lexicon, checked before any flag is given.

# The scripts of languages that have one script, as `word_script` names them.
SCRIPTS = {
    "arabic": "ar fa ur ps sd ug",
    "cyrillic": "ru uk be bg mk kk ky mn tg tt ba cv",
    "devanagari": "hi mr ne sa",
    "greek": "el",
    "hangul": "ko",
    "hebrew": "he yi",
    "thai": "th",
    "armenian": "hy",
    "georgian": "ka",
    "bengali": "bn as",
    "tamil": "ta",
    "telugu": "te",
    "malayalam": "ml",
    "kannada": "kn",
    "gujarati": "gu",
    "latin": "en de fr es it pt nl da sv nb nn is fi et lv lt pl cs sk sl hr hu ro sq tr vi id ms "
    "ca gl eu ga cy mt af sw eo la",
}
SCRIPT_OF = {lang: script for script, langs in SCRIPTS.items() for lang in langs.split()}
LEAST_ENGLISH = 0.5  # the share of words in English word lists that an English column has at least
FIX = "swap the languages, or the columns: --columns TARGET,SOURCE"


def check_direction(lexicon: AuditedLexicon) -> None:
    """Raise if the columns are probably swapped, by script, by vectors or by English words."""
    source, target = lexicon.columns
    swapped = _scripts_swapped(source, target) or _vectors_swapped(source, target)
    if swapped or _english_swapped(source, target):
        why = swapped or "the English words are in the other column"
        raise InputError(
            f"the columns are swapped for a lexicon {source.lang} to {target.lang}: {why}",
            where=lexicon.lexicon.name,
            fix=FIX,
        )


def _scripts_swapped(source: LexiconColumn, target: LexiconColumn) -> str:
    """Return the evidence that the scripts of the columns are swapped; empty if there is none."""
    expected = [SCRIPT_OF.get(column.lang, "") for column in (source, target)]
    found = [source.script, target.script]
    if "" in expected or expected[0] == expected[1] or found != expected[::-1]:
        return ""
    return f"its first column is in {found[0]} script, its second in {found[1]}"


def _vectors_swapped(source: LexiconColumn, target: LexiconColumn) -> str:
    """Return the evidence of the vectors that the columns are swapped; empty if there is none."""
    if source.vocabulary is None or target.vocabulary is None:
        return ""
    pairs = [(source.words, target.words), (target.words, source.words)]
    known, swapped = (
        int(((ranks_of(source.vocabulary, a) > 0) & (ranks_of(target.vocabulary, b) > 0)).sum())
        for a, b in pairs
    )
    if swapped < SUSPICIOUS_RATIO * max(1, known):
        return ""
    return f"{known:,} of its pairs have vectors, {swapped:,} with swapped columns"


def _english_swapped(source: LexiconColumn, target: LexiconColumn) -> bool:
    """Return whether the other column is English instead of the one that should be."""
    if (source.lang == "en") == (target.lang == "en"):
        return False
    english, other = (source, target) if source.lang == "en" else (target, source)
    shares = [
        sum(levels_of(word).is_listed for word in column.words) / max(1, len(column.words))
        for column in (english, other)
    ]
    return shares[0] < LEAST_ENGLISH <= shares[1]


Vectors = WordVectors | PathLike


@takes(AuditOptions)
def audit(
    gold: LexiconOrPath | Callable[[], Lexicon],
    source_lang: str,
    target_lang: str,
    **options: Unpack[AuditOptions],
) -> Audit:
    """Flag the pairs of a gold lexicon that may be wrong, and describe its composition.

    `gold` may also be a function that reads and returns the lexicon; it is called when all options
    are checked. `flags` names the flags (`misword parts flags`); the default is all flags whose
    resources were given. A pair counts as flagged if its probability is at least `threshold`.
    `leave_out` names the flags whose pairs are left out of the cleaned lexicon; the default is
    proper nouns and pairs of the training lexicon. `source_vectors` and `target_vectors` give ranks
    and words out of the vocabulary, `training` is the lexicon that mappings are trained on,
    `dictionaries` are further dictionaries of the same languages, and `reverse_dictionaries` of the
    other direction; `paradigms` is a UniMorph file of the target language. `pos_column` is the
    column of the gold file with parts of speech; without such a column a tagger is used. The method
    `compare_systems` of the result compares mappings on the lexicon as it is and cleaned.

    >>> found = audit([("london", "londres"), ("dog", "chien")], "en", "fr", flags="proper-noun")
    >>> found.pair_table()["kept"].to_list()
    [False, True]
    """
    languages = language_codes(source_lang, target_lang)
    _check_threshold(options["threshold"])
    check_max_words(options["max_words"])
    flags = _create_flags(options["flags"])
    left_out = _left_out(options["leave_out"], flags)
    lexicon = gold() if callable(gold) else open_lexicon(gold)
    audited = _with_resources(lexicon, languages, options)
    check_direction(audited)
    flagged, not_given = _flag_pairs(audited, flags, named=options["flags"] is not None)
    origin, tags = parts_of_speech(audited, options["pos_column"])
    return Audit(
        audited,
        {name: flags[name] for name in flagged},
        flagged,
        not_given,
        options["threshold"],
        composition_table(audited, tags),
        leak_table(audited),
        tuple(name for name in left_out if name in flagged),
        (*lexicon.notes, *([f"parts of speech: {origin}"] if origin else [])),
    )


def _with_resources(
    lexicon: Lexicon, languages: tuple[str, str], options: AuditOptions
) -> AuditedLexicon:
    """Return the lexicon with vectors, training lexicon, dictionaries and paradigms."""
    training, paradigms = options["training"], options["paradigms"]
    vectors = options["source_vectors"], options["target_vectors"]
    dictionaries = options["dictionaries"], options["reverse_dictionaries"]
    return AuditedLexicon(
        lexicon,
        *_columns(lexicon, languages, vectors, options["max_words"]),
        None if training is None else open_lexicon(training),
        open_dictionaries(lexicon, languages, *dictionaries),
        read_paradigms(paradigms) if isinstance(paradigms, str | os.PathLike) else paradigms,
    )


def _check_threshold(threshold: float) -> None:
    if not 0 < threshold <= 1:
        raise OptionError(f"threshold is {threshold}", fix="use a probability above 0, up to 1")


def _create_flags(flags: str | Iterable[str] | None) -> dict[str, Flag]:
    """Create the flags of specs, by name; raise before any file is read if one cannot be used."""
    created = FLAGS.create_all(list(FLAGS.entries()) if flags is None else flags)
    if not created:
        raise OptionError("no flag is named", fix=f"known: {', '.join(FLAGS.names())}")
    for flag in created.values():
        flag.check(Context())
    return {spec.partition(":")[0].strip(): flag for spec, flag in created.items()}


def _left_out(leave_out: Sequence[str] | None, flags: dict[str, Flag]) -> tuple[str, ...]:
    """Return the flags whose pairs are left out of the cleaned lexicon."""
    if leave_out is None:
        return tuple(name for name in LEFT_OUT if name in flags)
    for name in leave_out:
        FLAGS.load(name)  # raises if there is no such flag
        if name == "duplicate":
            raise OptionError(
                "duplicate pairs cannot be left out", fix="the cleaned lexicon has each pair once"
            )
        if name not in flags:
            raise OptionError(
                f"pairs with the flag {name!r} are to be left out, but it is not among the flags",
                fix=f"add it to the flags: {','.join([*flags, name])}",
            )
    return tuple(leave_out)


def _flag_pairs(
    lexicon: AuditedLexicon, flags: dict[str, Flag], *, named: bool
) -> tuple[dict[str, list[Flagged]], dict[str, str]]:
    """Return the pairs of each flag, and the reason for each flag whose resources are missing."""
    flagged: dict[str, list[Flagged]] = {}
    not_given: dict[str, str] = {}
    with progress("flagging", len(flags)) as step:
        for name, flag in flags.items():
            if reason := flag.missing(lexicon):
                if named:
                    raise OptionError(
                        f"the flag {name!r} {reason}",
                        fix="add what is missing, or leave out the flag",
                    )
                not_given[name] = reason
            else:
                flagged[name] = list(flag.look(lexicon))
            step(1)
    return flagged, not_given


def _columns(
    lexicon: Lexicon,
    languages: tuple[str, str],
    vectors: tuple[Vectors | None, Vectors | None],
    max_words: int | None,
) -> tuple[LexiconColumn, LexiconColumn]:
    """Return the two columns of a lexicon, with the words of their vectors."""
    source, target = (_vocabulary(each, max_words) for each in vectors)
    return (
        LexiconColumn("source", languages[0], lexicon.source, source),
        LexiconColumn("target", languages[1], lexicon.target, target),
    )


def _vocabulary(vectors: Vectors | None, max_words: int | None) -> Vocabulary | None:
    """Return the words of vectors, at most `max_words` of them."""
    if vectors is None:
        return None
    opened = vectors if isinstance(vectors, WordVectors) else open_vectors(vectors, max_words)
    return opened.vocabulary if max_words is None else opened.vocabulary.first(max_words)
