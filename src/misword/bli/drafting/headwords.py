"""Which words are the headwords of a draft: lemmas that a person gains something from.

Inflected forms are grouped under their lemma, on both sides; words of the training lexicon, names,
function words and words without a letter are left out unless they are asked for. The order of work
is by what a person gains: frequent words whose candidate is probably right come first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import numpy as np

from misword.bli.drafting.rows import Candidate, Headword
from misword.bli.inputs import TWO_LETTERS, language_code
from misword.bli.names.model import name_probabilities
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.bli.options import INCLUDED
from misword.bli.retrievers import RETRIEVERS
from misword.bli.seeds import TrainingPairs
from misword.bli.translate import Translations
from misword.bli.word_analysis import Lemmatizer, WordAnalysis
from misword.core.context import code
from misword.core.errors import MiswordError, OptionError
from misword.core.formatting import counted, listed
from misword.core.progress import progress
from misword.text.analyzers import Analyzer, analyzer_for
from misword.text.function_words import FUNCTION_WORDS

BACK = "csls"  # the retriever of back-translations
BLOCK = 2000  # words that are analysed at a time
FUNCTION_TAGS = ("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ")
NAMES = "PROPN"
NOT_MUTUAL = 1.0  # is added to the order of rows whose back-translation is another word

# The languages of a draft.


def draft_languages(
    mapping: OpenMapping, named: tuple[str | None, str | None]
) -> tuple[tuple[str, str], tuple[str, ...]]:
    """Return the languages of the headwords and of the candidates, and notes about them.

    A language that is not named is taken from the name of the file of vectors; it is empty if that
    has no code of a language.
    """
    found, guessed = [], []
    sides = (("source", mapping.source), ("target", mapping.target))
    for (which, side), language in zip(sides, named, strict=True):
        found.append(language_of_file(side) if language is None else language_code(language, which))
        if language is None and found[-1]:
            guessed.append(found[-1])
    notes = []
    if guessed:
        notes.append(f"language by the name of the file of vectors: {', '.join(guessed)}")
    if not all(found):
        notes.append(
            "a language is not known: name it with --source-lang and --target-lang for parts of "
            "speech, lemmas and names"
        )
    return (found[0], found[1]), tuple(notes)


def language_of_file(side: MappedSide) -> str:
    """Return the language in the name of the file of vectors; empty unless it has exactly one."""
    name = "" if side.vectors is None else PurePath(side.vectors.name).name
    return language_in(name)


def language_in(name: str) -> str:
    """Return the only ISO 639-1 code between the dots and dashes of a name.

    >>> language_in("wiki.en.vec"), language_in("cc.fr.300.bin"), language_in("glove.6B.txt")
    ('en', 'fr', '')
    """
    codes = {code(part) for part in re.split(r"[._-]", name.lower()) if part in TWO_LETTERS}
    return codes.pop() if len(codes) == 1 else ""


# The words of a language: their parts of speech, and the lemma that stands for each.


@dataclass(frozen=True, slots=True)
class WordFacts:
    """What is known about the words of one language: parts of speech and lemmas, by word."""

    tags: Mapping[str, str] = field(default_factory=dict)
    lemmas: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, lang: str, words: Sequence[str]) -> WordFacts:
        """Analyse each word without a sentence; notes say what a language lacks."""
        words = [word for word in words if " " not in word]  # phrases have no tag and no lemma
        if not lang or not words:
            return cls()
        analysis, notes = _analysis(lang)
        tags, lemmas = _analyse(analysis, words)
        both = zip(words, tags, lemmas, strict=True)
        found = {word: (tag, lemma) for word, tag, lemma in both}
        return cls(
            {word: tag for word, (tag, _) in found.items()},
            {word: lemma for word, (_, lemma) in found.items()},
            notes,
        )

    def head(self, word: str, places: Mapping[str, int]) -> str:
        """Return the word that stands for a form: its lemma, if `places` has it.

        `places` are the frequency ranks of all words. Lemmas that name each other as lemmas (an
        error of the lemmatizer) are represented by the most frequent of them.

        >>> facts = WordFacts(lemmas={"mice": "mouse", "mouse": "mouse", "data": "datum"})
        >>> [facts.head(word, {"mice": 2, "mouse": 1, "data": 3}) for word in ("mice", "data")]
        ['mouse', 'data']
        """
        seen = [word]
        while True:
            lemma = self.lemmas.get(seen[-1], "")
            lemma = lemma if lemma in places else lemma.lower()
            if lemma not in places or lemma == seen[-1]:
                return seen[-1]
            if lemma in seen:
                return min(seen[seen.index(lemma) :], key=lambda one: places[one])
            seen.append(lemma)


def _analysis(lang: str) -> tuple[WordAnalysis, tuple[str, ...]]:
    """Return the lemmatizer and the tagger of a language; notes say which of them is missing."""
    lemmatizers, notes = {}, []
    tagger: Analyzer | None = None
    try:
        lemmatizers["source"] = Lemmatizer.of(lang)
    except MiswordError as error:
        notes.append(f"no lemmas: {error.what}; {error.fix}")
    try:
        tagger = analyzer_for(lang, "tag")
    except MiswordError as error:
        notes.append(f"no parts of speech: {error.what}; {error.fix}")
    return WordAnalysis(lemmatizers, tagger), tuple(notes)


def _analyse(analysis: WordAnalysis, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the part of speech and the lemma of each word; empty where none is known."""
    tags: list[str] = []
    lemmas: list[str] = []
    with progress("analysing words", len(words)) as step:
        for start in range(0, len(words), BLOCK):
            block = words[start : start + BLOCK]
            tags += analysis.tags(block)
            has_lemmas = "source" in analysis.lemmatizers
            lemmas += analysis.base_forms("source", block) if has_lemmas else [""] * len(block)
            step(len(block))
    return tags, lemmas


# Which words have a row.


@dataclass(frozen=True, slots=True)
class Selection:
    """The headwords of a draft, before they are translated.

    `forms` has the forms that each headword stands for, and `heads` the headword of each form.
    `left_out` counts the words that have no row, by reason.
    """

    words: Sequence[str]
    facts: WordFacts
    forms: Mapping[str, tuple[str, ...]]
    heads: Mapping[str, str]
    known: frozenset[str]
    left_out: Mapping[str, int]

    def describe(self, row: Headword) -> Headword:
        """Return the row with its part of speech, lemma, forms, and whether it is known."""
        facts, word = self.facts, row.word
        candidates = tuple(
            replace(one, back=self.heads.get(one.back, one.back)) for one in row.candidates
        )
        return replace(
            row,
            candidates=candidates,
            pos=facts.tags.get(word, ""),
            lemma=facts.lemmas.get(word, ""),
            forms=self.forms.get(word, ()),
            known=word in self.known,
        )

    def note(self, names: int = 0) -> tuple[str, ...]:
        """Say what has no row; `names` are further names, found by their translations."""
        counts = Counter(self.left_out)
        counts["names"] += names
        found = [f"{counts[reason]:,} {INCLUDED[reason]}" for reason in INCLUDED if counts[reason]]
        if not found:
            return ()
        return (f"no row of their own: {listed(found)}; --include gives them one",)


def select_headwords(
    vocabulary: Sequence[str],
    lang: str,
    trained: TrainingPairs | None,
    include: Collection[str],
    judged: Collection[str],
) -> Selection:
    """Choose the headwords among the words of a vocabulary, the most frequent first.

    `include` names what has rows of its own (see `INCLUDED`). Words in `judged` always have one, so
    that no verdict is lost.
    """
    words = [word for word in vocabulary if word]
    facts = WordFacts.of(lang, words)
    places = {word: place for place, word in enumerate(words)}
    heads = {}
    if "forms" not in include:
        pairs = ((word, facts.head(word, places)) for word in words if word not in judged)
        heads = {word: head for word, head in pairs if head != word}
    forms: dict[str, list[str]] = {}
    for word, head in heads.items():
        forms.setdefault(head, []).append(word)
    known = _known(words, heads, trained)
    counts = Counter({"forms": len(heads)})
    chosen = []
    for word in words:
        if word in heads:
            continue
        reason = "" if word in judged else _reason(word, facts.tags.get(word, ""), lang, known)
        if reason and reason not in include:
            counts[reason] += 1
        else:
            chosen.append(word)
    if not chosen:
        raise OptionError(
            f"no headword is left: {counts['known']:,} of {counted(len(words), 'word')} are in the "
            "training lexicon",
            fix=f"include some of {', '.join(INCLUDED)}: --include known,names",
        )
    grouped = {head: tuple(found) for head, found in forms.items()}
    return Selection(chosen, facts, grouped, heads, known, counts)


def _known(
    words: Sequence[str], heads: Mapping[str, str], trained: TrainingPairs | None
) -> frozenset[str]:
    """Return the headwords that are in the training lexicon, or one of whose forms is."""
    if trained is None:
        return frozenset()
    found = trained.has_source(words).tolist()
    both = zip(words, found, strict=True)
    return frozenset(heads.get(word, word) for word, is_known in both if is_known)


def _reason(word: str, tag: str, lang: str, known: Collection[str]) -> str:
    """Return why a headword is left out by default, by a name of `INCLUDED`; empty if it is not."""
    if word in known:
        return "known"
    if not any(map(str.isalpha, word)):
        return "symbols"
    in_list = word.lower() in FUNCTION_WORDS.get(lang, ())
    return "function-words" if (tag in FUNCTION_TAGS if tag else in_list) else ""


# Their candidates.


def draft_headwords(
    mapping: OpenMapping,
    found: Translations,
    workers: int | None = None,
    k: int | None = None,
    lang: str = "",
) -> list[Headword]:
    """Return a row for each word with its best `k` candidates, in the order of the words.

    With a language `lang` of the candidates, a lemma among the candidates stands for its forms
    that begin with the same letter (a lemmatizer without a sentence often errs in others), with
    the highest score of them.
    """
    heads = _candidate_heads(found, lang)
    backs = back_translations(mapping, [*heads, *heads.values()], workers)
    ranks = (mapping.source.vocabulary.find(found.words) + 1).tolist()
    rows = []
    for word, row, rank in zip(found.words, found.rows.tolist(), ranks, strict=True):
        candidates = list(_candidates(found, row, heads, backs))[:k] if row >= 0 else []
        rows.append(Headword(word, rank, tuple(candidates)))
    return rows


def _candidate_heads(found: Translations, lang: str) -> dict[int, int]:
    """Return, for the number of each candidate, that of the lemma that stands for it."""
    ids = [int(id_) for id_ in np.unique(found.neighbors.ids) if id_ >= 0]
    if not lang:
        return {id_: id_ for id_ in ids}
    words = [found.target[id_] for id_ in ids]
    analysis, _ = _analysis(lang)
    single = [word for word in words if " " not in word]
    _, lemmas = _analyse(WordAnalysis(analysis.lemmatizers, None), single)
    facts = WordFacts(lemmas=dict(zip(single, lemmas, strict=True)))
    places = {word: place for place, word in enumerate(found.target)}
    return {id_: places[facts.head(word, places)] for id_, word in zip(ids, words, strict=True)}


def _candidates(
    found: Translations, row: int, heads: Mapping[int, int], backs: Mapping[int, str]
) -> Iterator[Candidate]:
    """Yield the candidates of one word, the best first, each lemma once."""
    best: dict[int, float] = {}
    forms: dict[int, list[str]] = {}
    ids, scores = found.neighbors.ids[row].tolist(), found.neighbors.scores[row].tolist()
    there = set(ids)
    for id_, score in zip(ids, scores, strict=True):
        if id_ >= 0:
            head = heads[id_] if heads[id_] in there else id_
            if found.target[head][0] != found.target[id_][0]:
                head = id_
            best.setdefault(head, round(score, 6))
            forms.setdefault(head, []).extend([found.target[id_]] if id_ != head else [])
    for head, score in best.items():
        yield Candidate(found.target[head], score, backs[head], forms=tuple(forms[head]))


def back_translations(
    mapping: OpenMapping, candidates: Sequence[int], workers: int | None = None
) -> dict[int, str]:
    """Return the best translation of each candidate in the other direction, by its row number."""
    ids = np.unique(np.array(candidates, np.int64))
    best = mapping.swap().nearest(ids, RETRIEVERS.create(BACK), 1, workers).ids[:, 0]
    words = mapping.source.vocabulary
    return {id_: words[row] for id_, row in zip(ids.tolist(), best.tolist(), strict=True)}


def add_names(rows: Sequence[Headword], languages: tuple[str, str]) -> list[Headword]:
    """Add the probability that each headword with its first candidate is a proper noun.

    Taggers take many nouns without a sentence for proper nouns; the probability corrects them.

    Known problems: the spelling of a wrong candidate is evidence, too.
    """
    if not all(languages) or languages[0] == languages[1]:
        return list(rows)
    found = list(rows)
    places = [place for place, row in enumerate(rows) if row.candidates]
    pairs = [(rows[place].word, rows[place].target) for place in places]
    if pairs:
        values = name_probabilities(pairs, languages).probabilities.tolist()
        for place, value in zip(places, values, strict=True):
            row = replace(rows[place], name=round(value, 6))
            found[place] = replace(row, pos="NOUN") if row.pos == NAMES and not row.is_name else row
    return found


# The order of work.


def sort_by_gain(rows: Sequence[Headword], *, probabilities: bool) -> list[Headword]:
    """Return the rows first from which a person gains most: frequent, and probably right.

    The gain of a row is the probability of its best candidate times a weight that falls with the
    logarithm of the frequency rank, from 1 for the most frequent word to 0 for the last. Scores of
    other retrievers are no probabilities: their places among all scores stand for them, and rows
    whose back-translation is the headword come first. Known words come after new ones, and rows
    without a candidate are last.
    """
    last = max([row.rank for row in rows], default=1)
    sure = {id(row): row.best_score for row in rows}
    if not probabilities:
        order = sorted((row.best_score for row in rows if row.candidates), reverse=True)
        place = {score: 1 - at / len(order) for at, score in reversed(list(enumerate(order)))}
        sure = {id(row): place.get(row.best_score, 0.0) for row in rows}

    def order_of(row: Headword) -> tuple[bool, bool, float]:
        rank = row.rank or last
        weight = 1 - math.log(rank) / math.log(last + 1)
        later = 0.0 if probabilities or row.is_mutual else NOT_MUTUAL
        return not row.candidates, row.known, later - sure[id(row)] * weight

    return sorted(rows, key=order_of)
