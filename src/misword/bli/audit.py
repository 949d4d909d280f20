"""Is a gold lexicon what the user thinks it is? Flags of its pairs, composition and leaks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from misword.bli.auditing.composition import composition_table, parts_of_speech
from misword.bli.auditing.dictionaries import OneDictionary, open_dictionaries
from misword.bli.auditing.direction import check_direction
from misword.bli.auditing.languages import language_codes
from misword.bli.auditing.leaks import leak_table
from misword.bli.auditing.lexicon import AuditedLexicon, Column
from misword.bli.auditing.result import Audit
from misword.bli.flags import FLAGS, Flag, Flagged
from misword.bli.lexicon_source import LexiconOrPath, open_lexicon
from misword.bli.mapping import open_vectors
from misword.bli.open_mapping import check_max_words
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon
from misword.io.paradigms import Paradigms, read_paradigms

LEFT_OUT = ("proper-noun", "training-pair")
THRESHOLD = 0.5

Vectors = WordVectors | PathLike


def audit(
    gold: LexiconOrPath | Callable[[], Lexicon],
    source_lang: str,
    target_lang: str,
    *,
    flags: str | Iterable[str] | None = None,
    threshold: float = THRESHOLD,
    leave_out: Sequence[str] | None = None,
    source_vectors: Vectors | None = None,
    target_vectors: Vectors | None = None,
    max_words: int | None = None,
    training: LexiconOrPath | None = None,
    dictionaries: Sequence[OneDictionary] = (),
    reverse_dictionaries: Sequence[OneDictionary] = (),
    paradigms: Paradigms | PathLike | None = None,
    pos_column: str | None = None,
) -> Audit:
    """Flag what may be wrong with the pairs of a gold lexicon, and say what it consists of.

    `gold` may also be a function that reads and returns the lexicon; it is called when all options
    are checked. `flags` names the flags (`misword parts flags`); the default is all whose resources
    are there. A pair counts as flagged from the probability `threshold` on. `leave_out` names the
    flags whose pairs the cleaned lexicon does not have; the default is proper nouns and pairs of
    the training lexicon. `source_vectors` and `target_vectors` give ranks and words out of the
    vocabulary, `training` is the lexicon that mappings are trained on, `dictionaries` are further
    dictionaries of the same languages, and `reverse_dictionaries` of the other direction;
    `paradigms` is a UniMorph file of the target language. `pos_column` is the column of the gold
    file with parts of speech; without such a column a tagger is used. The method `compare_systems`
    of the result compares mappings on the lexicon as it is and cleaned.

    >>> found = audit([("london", "londres"), ("dog", "chien")], "en", "fr", flags="proper-noun")
    >>> found.pair_table()["kept"].to_list()
    [False, True]
    """
    languages = language_codes(source_lang, target_lang)
    _check_threshold(threshold)
    check_max_words(max_words)
    chosen = _create_flags(flags)
    left_out = _left_out(leave_out, chosen)
    lexicon = gold() if callable(gold) else open_lexicon(gold)
    audited = AuditedLexicon(
        lexicon,
        *_columns(lexicon, languages, (source_vectors, target_vectors), max_words),
        None if training is None else open_lexicon(training),
        open_dictionaries(lexicon, languages, dictionaries, reverse_dictionaries),
        read_paradigms(paradigms) if isinstance(paradigms, str | os.PathLike) else paradigms,
    )
    check_direction(audited)
    flagged, not_given = _look(audited, chosen, named=flags is not None)
    origin, tags = parts_of_speech(audited, pos_column)
    return Audit(
        audited,
        {name: chosen[name] for name in flagged},
        flagged,
        not_given,
        threshold,
        composition_table(audited, tags),
        leak_table(audited),
        tuple(name for name in left_out if name in flagged),
        (*lexicon.notes, *([f"parts of speech: {origin}"] if origin else [])),
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
        if name == "doubled":
            raise OptionError(
                "doubled pairs cannot be left out", fix="the cleaned lexicon has each pair once"
            )
        if name not in flags:
            raise OptionError(
                f"pairs with the flag {name!r} are to be left out, but it is not given",
                fix=f"add it to the flags: {','.join([*flags, name])}",
            )
    return tuple(leave_out)


def _look(
    lexicon: AuditedLexicon, flags: dict[str, Flag], *, named: bool
) -> tuple[dict[str, list[Flagged]], dict[str, str]]:
    """Give the flags; return the pairs of each, and the flags whose resources are missing."""
    flagged: dict[str, list[Flagged]] = {}
    not_given: dict[str, str] = {}
    with progress("flagging", len(flags)) as step:
        for name, flag in flags.items():
            if reason := flag.missing(lexicon):
                if named:
                    raise OptionError(f"the flag {name!r} {reason}", fix="give it what it needs")
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
) -> tuple[Column, Column]:
    """Return the two columns of a lexicon, with the words of their vectors."""
    source, target = (_vocabulary(each, max_words) for each in vectors)
    return (
        Column("source", languages[0], lexicon.source, source),
        Column("target", languages[1], lexicon.target, target),
    )


def _vocabulary(vectors: Vectors | None, max_words: int | None) -> Vocabulary | None:
    """Return the words of vectors, at most `max_words` of them."""
    if vectors is None:
        return None
    opened = vectors if isinstance(vectors, WordVectors) else open_vectors(vectors, max_words)
    return opened.vocabulary if max_words is None else opened.vocabulary.first(max_words)
