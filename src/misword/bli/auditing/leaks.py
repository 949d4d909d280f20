"""Leaks: what a gold lexicon shares with the lexicon that a mapping was trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.bli.auditing.lexicon import AuditedLexicon, lemmas_of
from misword.bli.evaluation.lemmas import Lemmatizer
from misword.io.lexicons import Lexicon

if TYPE_CHECKING:
    import polars as pl


def training_lines(training: Lexicon) -> dict[tuple[str, str], int]:
    """Return the line of each pair of a training lexicon."""
    pairs = zip(training.source, training.target, strict=True)
    return dict(zip(pairs, training.lines, strict=True))


def training_headwords(lexicon: AuditedLexicon) -> dict[str, str]:
    """Return the headwords that training has, too, and how: the same word, or the same lemma."""
    if lexicon.training is None:
        return {}
    trained = set(lexicon.training.source)
    found = {word: "same headword" for word in lexicon.lexicon.headwords if word in trained}
    lemmas = lexicon.lemmas[0]
    if lemmas:
        by_lemma = _training_lemmas(lexicon)
        for word in lexicon.lexicon.headwords:
            if word not in found and lemmas.get(word) in by_lemma:
                other = by_lemma[lemmas[word]]
                found[word] = f"same lemma as {other!r}: {lemmas[word]!r}"
    return found


def _training_lemmas(lexicon: AuditedLexicon) -> dict[str, str]:
    """Return a training headword of each lemma."""
    lemmatizer = Lemmatizer.of(lexicon.source.lang, lexicon.lemmatizers[0])
    words = lexicon.training.source if lexicon.training is not None else ()
    return {lemma: word for word, lemma in reversed(lemmas_of(lemmatizer, words).items())}


def leak_table(lexicon: AuditedLexicon) -> pl.DataFrame:
    """Return how many pairs, headwords and lemmas training shares, and of how many."""
    import polars as pl

    schema = {"shared": pl.String, "count": pl.Int64, "of": pl.Int64}
    if lexicon.training is None:
        return pl.DataFrame(schema=schema)
    lines, headwords = training_lines(lexicon.training), training_headwords(lexicon)
    same_word = sum(text == "same headword" for text in headwords.values())
    rows = [
        ("pairs", sum(pair in lines for pair in lexicon.pairs), len(lexicon)),
        ("headwords", same_word, len(lexicon.lexicon.headwords)),
    ]
    if lexicon.lemmas[0]:
        rows.append(("headwords by lemma", len(headwords), len(lexicon.lexicon.headwords)))
    return pl.DataFrame(rows, schema=schema, orient="row")
