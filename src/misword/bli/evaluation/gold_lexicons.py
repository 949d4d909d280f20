"""Gold lexicons as an evaluation takes them: with parts of speech, without training words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from misword.bli.evaluation.headword_counts import PairFlags
from misword.bli.evaluation.leaks import Leaks
from misword.bli.evaluation.source_language import SourceLanguage
from misword.bli.lexicon_source import LexiconOrPath, open_lexicon
from misword.bli.word_tags import tags_of_words
from misword.core.errors import InputError, OptionError
from misword.io.lexicons import Lexicon

POS = "pos"  # the column of parts of speech
NO_TAG = "none"

# One lexicon or several by name, or a function that reads and returns them.
Gold = LexiconOrPath | Mapping[str, LexiconOrPath]
GoldSource = Gold | Callable[[], Gold]


def open_gold(gold: GoldSource) -> list[Lexicon]:
    """Return all lexicons; those of a dictionary have its names."""
    given = gold() if callable(gold) else gold
    if not isinstance(given, Mapping):
        return [open_lexicon(given)]
    if not given:
        raise OptionError("no gold lexicon", fix="name at least one")
    return [replace(open_lexicon(lexicon), name=name) for name, lexicon in given.items()]


def with_parts_of_speech(lexicon: Lexicon, language: SourceLanguage) -> Lexicon:
    """Add the column `pos`, the part of speech of each headword, unless the lexicon has it."""
    if POS in lexicon.columns:
        return lexicon
    tagger = language.tagger()
    if tagger is None:
        columns = ", ".join(lexicon.columns) or "none beside the two of words"
        raise OptionError(
            f"no column {POS!r} in the lexicon",
            where=lexicon.name,
            fix=f"it has: {columns}; the tagger of a language finds parts of speech: --source-lang",
        )
    words = list(lexicon.headwords)
    tag_of = dict(zip(words, tags_of_words(tagger, words, NO_TAG), strict=True))
    tags = tuple(tag_of[word] for word in lexicon.source)
    note = f"{lexicon.name}: parts of speech by {tagger.name}, of each headword without a sentence"
    return replace(lexicon, columns={**lexicon.columns, POS: tags}, notes=(*lexicon.notes, note))


def without_seen(lexicon: Lexicon, leaks: Sequence[Leaks]) -> Lexicon:
    """Leave out the headwords that were in the training of any of the mappings."""
    seen = np.logical_or.reduce([one.seen for one in leaks])
    number_of = {word: number for number, word in enumerate(lexicon.headwords)}
    kept = ~seen[[number_of[word] for word in lexicon.source]]
    if not kept.any():
        raise InputError(
            "all its headwords were in the training: nothing is left to evaluate",
            where=lexicon.name,
            fix="take another lexicon, or leave out --unseen",
        )
    note = (
        f"{lexicon.name}: {seen.sum():,} of {len(seen):,} headwords, with {(~kept).sum():,} of "
        f"{len(kept):,} pairs, were in the training of a mapping and are left out (--unseen)"
    )
    return _subset(lexicon, kept, note)


def _subset(lexicon: Lexicon, kept: PairFlags, note: str) -> Lexicon:
    """Return some pairs of a lexicon."""
    places = np.flatnonzero(kept).tolist()

    def take(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(values[place] for place in places)

    return Lexicon(
        take(lexicon.source),
        take(lexicon.target),
        tuple(lexicon.lines[place] for place in places),
        lexicon.name,
        {name: take(values) for name, values in lexicon.columns.items()},
        (*lexicon.notes, note),
    )
