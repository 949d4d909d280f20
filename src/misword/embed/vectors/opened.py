"""The word vectors of a `Context`: checked before the work starts, opened when first needed."""

from __future__ import annotations

import os

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed.vectors.words import WordVectors


def check_word_vectors(context: Context) -> None:
    """Raise unless the context has word vectors, or names a file that exists."""
    source = context.source
    if source is None:
        raise OptionError(
            "word vectors are needed",
            fix="name a file (word2vec, fastText, GloVe, ...): --vectors cc.fr.300.vec, "
            "or vectors='cc.fr.300.vec' in Python",
        )
    if isinstance(source, WordVectors):
        return
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise OptionError(f"vectors is a {kind}", fix="give a file's name or WordVectors")
    if not os.path.exists(source):
        shown = os.fspath(source) or "--vectors ''"
        raise InputError("no such file", where=shown, fix="check the path")


def word_vectors(context: Context) -> WordVectors:
    """Return the word vectors of a context; a file is opened the first time."""
    if "vectors" not in context.opened:
        check_word_vectors(context)
        source = context.source
        if not isinstance(source, WordVectors):
            source = WordVectors.open(source, max_words=context.max_words, format=context.format)
        context.opened["vectors"] = source
    vectors: WordVectors = context.opened["vectors"]
    return vectors


def notes_of(context: Context) -> tuple[str, ...]:
    """Return notes on problems in the file of the vectors, if the file was opened."""
    if "vectors" not in context.opened:
        return ()
    vectors = word_vectors(context)
    return tuple(f"{vectors.name}: {note}" for note in vectors.notes)
