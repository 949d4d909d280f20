"""Translations of transcripts and their references, in the order of the utterances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from misword.asr.corpus_columns import make_corpus
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.types import Corpus
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


def read_texts(
    translations: Any, references: Any, by_system: Mapping[str, Scores]
) -> dict[str, tuple[list[str], list[str]]]:
    """Return the translations and their references by system, in the order of the utterances.

    `translations` and `references` are the arguments of `misword.correlate`; `by_system` has the
    scores of the transcripts.
    """
    if callable(translations):
        translations = translations()
    utts = next(iter(by_system.values())).table.select("utt")
    if isinstance(translations, Corpus):
        corpus = _in_order(translations, utts)
    elif references is None:
        raise OptionError("translations need references", fix="give translation_references")
    else:
        corpus = make_corpus(references, translations)
    for column in (corpus.references["text"], corpus.hypotheses["text"]):
        if column.null_count():
            raise InputError("a translation is missing", fix="an empty one is an empty string")
    reference_texts = corpus.references["text"].to_list()
    if len(reference_texts) != len(utts):
        raise MismatchError(f"{len(reference_texts)} translations of {len(utts)} utterances")
    groups = corpus.hypotheses.group_by("system", maintain_order=True)
    translated = {str(name): rows["text"].to_list() for (name,), rows in groups}
    if len(translated) == len(by_system) == 1:  # one column needs no name
        translated = dict(zip(by_system, translated.values(), strict=True))
    if translated.keys() != by_system.keys():
        raise MismatchError(
            f"translations of {', '.join(translated)}, transcripts of {', '.join(by_system)}",
            fix="give the translations of each system, by its name",
        )
    return {name: (translated[name], reference_texts) for name in by_system}


def _in_order(corpus: Corpus, utts: pl.DataFrame) -> Corpus:
    """Return a corpus of translations in the order of the utterances, matched by id."""
    for ours, theirs, what in (
        (utts, corpus.references, "has no translation"),
        (corpus.references, utts, "has a translation but no transcript"),
    ):
        unmatched = ours.join(theirs, on="utt", how="anti", maintain_order="left")["utt"]
        if len(unmatched):
            raise MismatchError(
                f"utterance {unmatched[0]!r} {what} ({len(unmatched)} such)",
                where="translations",
                fix="give transcripts and translations the same ids, or none and as many lines",
            )
    references = utts.join(corpus.references, on="utt", how="left", maintain_order="left")
    by_system = {
        name: utts.join(
            corpus.hypotheses.filter(system=name), on="utt", how="left", maintain_order="left"
        )["text"]
        for name in corpus.systems
    }
    return Corpus.of(references, by_system)
