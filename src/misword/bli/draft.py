"""The draft of a dictionary for people to judge: a row for each headword."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from misword.bli.drafting.headwords import Headword, by_trust, draft_headwords
from misword.bli.drafting.result import Draft
from misword.bli.drafting.verdicts import Judgement, apply_judgements, read_judgements
from misword.bli.drafting.word_facts import add_word_facts, draft_languages
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.open_mapping import OpenMapping, check_max_words
from misword.bli.retrievers import RETRIEVERS, Retriever
from misword.bli.translate import Translations, Words, check_k, translate_opened
from misword.core.context import Context
from misword.embed.vectors.words import WordVectors
from misword.io.files.shown_paths import shown_path
from misword.io.files.sources import PathLike

CANDIDATES = 5


def draft_lexicon(
    mapping: WordMapping | PathLike,
    words: Words | Callable[[], Words] | None = None,
    k: int = CANDIDATES,
    *,
    retriever: str | Retriever | None = None,
    judged: PathLike | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    reverse: bool = False,
    max_words: int | None = None,
    source: WordVectors | PathLike | None = None,
    target: WordVectors | PathLike | None = None,
    workers: int | None = None,
) -> Draft:
    """Draft a dictionary: a row for each word with its `k` best candidates, the surest first.

    A row has the part of speech, the lemma, the probability of a proper noun, the rank in the
    vectors, the candidates with their probability or score, and the back-translation of each. The
    retriever is `reranked` if the mapping has a reranker, else `csls`. `judged` is a draft that a
    person filled in, or the file that the page of a draft saves: its verdicts are kept.
    `source_lang` and `target_lang` are the languages of the mapping's vectors; without them, the
    names of the files of vectors are searched for their codes. The other arguments are those of
    `translate`.

    Known problems: words are analysed without a sentence, so that a form that can be a noun or a
    verb has one part of speech.

    >>> draft = draft_lexicon("en-fr.map", judged="draft.xlsx")  # doctest: +SKIP
    >>> draft.write_accepted("accepted.tsv")  # doctest: +SKIP
    """
    part = _retriever(retriever, workers)
    check_k([k])
    check_max_words(max_words)
    judgements = {} if judged is None else read_judgements(judged)
    if callable(words):
        words = words()
    opened = OpenMapping.of(
        mapping,
        source=source,
        target=target,
        reverse=reverse,
        max_words=max_words,
        workers=workers,
    )
    named = (target_lang, source_lang) if reverse else (source_lang, target_lang)
    languages, notes = draft_languages(opened, named)
    part = part or RETRIEVERS.create("csls" if opened.reranker is None else "reranked")
    found = translate_opened(opened, words, k, part, workers)
    rows, more = _rows(opened, found, judgements, judged, languages, workers)
    return Draft(
        tuple(by_trust(rows, probabilities=part.gives_probabilities)),
        part.gives_probabilities,
        languages,
        found.signature,
        judged,
        (*found.notes, *_about_scores(part, opened), *notes, *more),
        found.parts,
    )


def _rows(
    mapping: OpenMapping,
    found: Translations,
    judgements: Mapping[str, Judgement],
    judged: PathLike | None,
    languages: tuple[str, str],
    workers: int | None,
) -> tuple[list[Headword], tuple[str, ...]]:
    """Return the rows with their verdicts and what is known about the words, and notes."""
    rows = draft_headwords(mapping, found, workers)
    notes: tuple[str, ...] = ()
    if judged is not None:
        rows, notes = apply_judgements(rows, judgements, shown_path(judged))
    rows, missing = add_word_facts(rows, languages)
    return rows, (*notes, *missing)


def _retriever(retriever: str | Retriever | None, workers: int | None) -> Retriever | None:
    """Return the retriever that was named, checked; None if the mapping decides."""
    if retriever is None:
        return None
    part = RETRIEVERS.create(retriever) if isinstance(retriever, str) else retriever
    part.check(Context(workers=workers))
    return part


def _about_scores(part: Retriever, mapping: OpenMapping) -> tuple[str, ...]:
    """Return a note if scores are no probabilities, and what to do about it."""
    if part.gives_probabilities:
        return ()
    fix = (
        "a reranker gives them: misword map ... --rerank LEXICON"
        if mapping.reranker is None
        else "the retriever reranked gives them"
    )
    return (f"scores are those of {part.name}, no probabilities; {fix}",)
