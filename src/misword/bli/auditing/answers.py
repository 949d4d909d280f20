"""The candidates of systems for the headwords of a lexicon, and variants of the lexicon."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.lexicon import AuditedLexicon, missing_synonyms
from misword.bli.evaluation.rates import HeadwordCounts
from misword.bli.inputs import CandidateFile
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.open_mapping import OpenMapping, name_of
from misword.bli.retrievers import Retriever
from misword.bli.translate import translate_listed
from misword.bli.word_analysis import Lemmatizer, lemmas_of
from misword.core.errors import InputError, OptionError
from misword.io.files.sources import PathLike

Systems = Sequence[WordMapping | PathLike] | Mapping[str, WordMapping | PathLike]
# The translations of each headword that count as right.
Gold = Mapping[str, Mapping[str, str]]
CANDIDATES_FIX = "use a mapping (.map), or a table with the columns word and candidate"


@dataclass(frozen=True, slots=True, eq=False)
class SystemAnswers:
    """The candidates of one system.

    `candidates` has the candidates of each headword that the system knows, the best first. `known`
    are the translations that the system can give; None if that is not known, as for files. `back`
    has the words that the best candidates are translated back to. `notes` are about the mapping.
    """

    system: str
    candidates: Mapping[str, tuple[str, ...]]
    known: frozenset[str] | None = None
    back: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def counts(self, gold: Gold, k_values: Sequence[int]) -> HeadwordCounts:
        """Count the translations found for each headword."""
        words = list(gold)
        found = {k: np.zeros(len(words), np.int64) for k in k_values}
        reachable = np.zeros(len(words), np.int64)
        for number, word in enumerate(words):
            right, answers = gold[word], self.candidates.get(word)
            if answers is None:
                continue
            known = self.known
            reachable[number] = sum(known is None or target in known for target in right)
            for k in k_values:
                found[k][number] = sum(answer in right for answer in answers[:k])
        return HeadwordCounts(
            np.arange(len(words)),
            np.array([word in self.candidates for word in words], np.int64),
            np.array([len(gold[word]) for word in words], np.int64),
            reachable,
            np.array([len(self.candidates.get(word, ())) for word in words], np.int64),
            found,
            found,
        )


def read_answers(path: PathLike, words: Iterable[str], k: int) -> SystemAnswers:
    """Read the candidates of a file, such as `misword translate -o` writes."""
    file = CandidateFile.read(path)
    candidates = {
        word: tuple(candidate for candidate, _ in file.candidates[word][:k])
        for word in words
        if word in file.candidates
    }
    if not candidates:
        raise InputError(
            "no headword of the gold lexicon has a candidate in it",
            where=file.path,
            fix=f"check that it is the right file; {CANDIDATES_FIX}",
        )
    return SystemAnswers(file.name, candidates)


def answers_of(
    mapping: OpenMapping,
    gold: Gold,
    k: int,
    retriever: Retriever | None = None,
    workers: int | None = None,
) -> SystemAnswers:
    """Retrieve `k` candidates of each headword, and what the best one translates back to."""
    words = list(gold)
    part = retriever or mapping.default_retriever()
    found = translate_listed(mapping, words, k, part, workers)
    candidates = {
        word: tuple(found.target[id_] for id_ in found.neighbors.ids[row].tolist() if id_ >= 0)
        for word, row in zip(words, found.rows.tolist(), strict=True)
        if row >= 0
    }
    best = list(dict.fromkeys(several[0] for several in candidates.values() if several))
    backwards = OpenMapping(mapping.target, mapping.source, mapping.name, mapping.settings)
    if part.gives_probabilities:  # of one direction only
        part = backwards.default_retriever()
    back = translate_listed(backwards, best, 1, part, workers)
    translated = {
        word: tuple(back.target[id_] for id_ in back.neighbors.ids[row].tolist() if id_ >= 0)
        for word, row in zip(best, back.rows.tolist(), strict=True)
        if row >= 0
    }
    targets = list({t: None for several in (*gold.values(), *candidates.values()) for t in several})
    rows = mapping.target.find(targets).tolist()
    known = frozenset(word for word, row in zip(targets, rows, strict=True) if row >= 0)
    return SystemAnswers(mapping.name, candidates, known, translated, mapping.notes)


def collect_answers(
    systems: Mapping[str, WordMapping | PathLike],
    gold: Gold,
    k: int,
    retriever: Retriever | None,
    *,
    max_words: int | None = None,
    workers: int | None = None,
) -> list[SystemAnswers]:
    """Return the answers of each system: candidates of a mapping, or of a file."""
    found = []
    for name, system in systems.items():
        if isinstance(system, WordMapping) or os.fspath(system).endswith(".map"):
            opened = OpenMapping.of(system, name=name, max_words=max_words, workers=workers)
            answers = answers_of(opened, gold, k, retriever, workers)
        else:
            answers = read_answers(system, gold, k)
        found.append(replace(answers, system=name))
    return found


def named_systems(systems: Systems) -> dict[str, WordMapping | PathLike]:
    """Return the systems by name: a given name, the name of the file, or a number."""
    if isinstance(systems, Mapping):
        return dict(systems)
    if not systems:
        raise OptionError("no system is named", fix="name mappings, or files of candidates")
    named: dict[str, WordMapping | PathLike] = {}
    for number, system in enumerate(systems, 1):
        name = f"mapping {number}"
        if not isinstance(system, WordMapping):
            name = name_of(system) if os.fspath(system).endswith(".map") else Path(system).stem
        while name in named:
            name += "'"
        named[name] = system
    return named


# Variants of a gold lexicon: as it is, without names, with forms and synonyms filled in.

AS_IT_IS, WITHOUT_NAMES = "as it is", "without names"
WITH_FORMS, WITH_SYNONYMS, ALL = "with forms", "with synonyms", "all three"

# For each headword, the answers that another source confirms, with the evidence as text.
Evidence = Mapping[str, Mapping[str, str]]


def plain_gold(lexicon: AuditedLexicon, pairs: NDArray[np.bool_] | None = None) -> Gold:
    """Return the translations of each headword: of all pairs, or of some of them."""
    gold: dict[str, dict[str, str]] = {}
    for number, (source, target) in enumerate(lexicon.pairs):
        if pairs is None or pairs[number]:
            gold.setdefault(source, {})[target] = "gold"
    return gold


def other_forms(lexicon: AuditedLexicon, answers: Iterable[SystemAnswers]) -> Evidence:
    """Return the answers that are other forms of a gold translation.

    Two words are forms of one word if they share a paradigm or, in the target language, a lemma.
    """
    gold, given = plain_gold(lexicon), _all_candidates(answers)
    candidates = {answer for several in given.values() for answer in several}
    lemmas = {**lexicon.lemmas[1], **_candidate_lemmas(lexicon, candidates)}
    found: dict[str, dict[str, str]] = {}
    for word, several in given.items():
        for answer in several:
            if answer not in gold[word]:
                reason = _same_word(lexicon, answer, gold[word], lemmas)
                if reason:
                    found.setdefault(word, {})[answer] = reason
    return found


def other_synonyms(lexicon: AuditedLexicon, answers: Iterable[SystemAnswers]) -> Evidence:
    """Return the answers that another dictionary has as translations."""
    gaps = missing_synonyms(lexicon)
    found: dict[str, dict[str, str]] = {}
    for word, several in _all_candidates(answers).items():
        lower = {target.lower(): names for target, names in gaps.get(word, {}).items()}
        for answer in several:
            if names := lower.get(answer.lower()):
                found.setdefault(word, {})[answer] = f"in {', '.join(names)}"
    return found


def gold_variants(
    lexicon: AuditedLexicon, names: NDArray[np.bool_] | None, forms: Evidence, synonyms: Evidence
) -> dict[str, Gold]:
    """Return the variants of a lexicon, by name; those that change nothing are left out.

    `names` says which pairs are proper nouns; None without the flag of proper nouns.
    """
    plain = plain_gold(lexicon)
    variants = {AS_IT_IS: plain}
    without = plain if names is None else plain_gold(lexicon, ~names)
    if names is not None and names.any() and without:
        variants[WITHOUT_NAMES] = without
    if forms:
        variants[WITH_FORMS] = _with_further(plain, forms)
    if synonyms:
        variants[WITH_SYNONYMS] = _with_further(plain, synonyms)
    if len(variants) > 2:
        variants[ALL] = _with_further(_with_further(without, forms), synonyms)
    return variants


def _all_candidates(answers: Iterable[SystemAnswers]) -> dict[str, dict[str, None]]:
    """Return all candidates of each headword, by any system."""
    given: dict[str, dict[str, None]] = {}
    for system in answers:
        for word, several in system.candidates.items():
            given.setdefault(word, {}).update(dict.fromkeys(several))
    return given


def _candidate_lemmas(lexicon: AuditedLexicon, words: set[str]) -> dict[str, str]:
    """Return the lemma of each word, if the target language has a lemmatizer."""
    if not lexicon.lemmas[1]:
        return {}
    lemmatizer = Lemmatizer.of(lexicon.target.lang, lexicon.lemmatizers[1])
    return lemmas_of(lemmatizer, sorted(words))


def _same_word(
    lexicon: AuditedLexicon, answer: str, gold: Iterable[str], lemmas: Mapping[str, str]
) -> str:
    """Return the evidence that an answer is a form of a gold translation; empty without any."""
    for target in gold:
        if lexicon.paradigms is not None:
            lemma = lexicon.paradigms.share_lemma(answer, target)
            if not lemma and answer.islower() and target.islower():
                lemma = lexicon.paradigms.share_lemma(answer.capitalize(), target.capitalize())
            if lemma:
                return f"same paradigm as {target!r}: {lemma!r}"
        lemma = lemmas.get(answer, "")
        if lemma and lemma in (lemmas.get(target), target.lower()):
            return f"same lemma as {target!r}: {lemma!r}"
    return ""


def _with_further(gold: Gold, further: Evidence) -> Gold:
    return {word: {**targets, **further.get(word, {})} for word, targets in gold.items()}
