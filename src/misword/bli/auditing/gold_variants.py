"""Variants of a gold lexicon: as it is, without names, with forms and synonyms filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.answers import Answers, Gold
from misword.bli.auditing.gaps import missing_synonyms
from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.evaluation.lemmas import Lemmatizer, lemmas_of

AS_IT_IS, WITHOUT_NAMES = "as it is", "without names"
WITH_FORMS, WITH_SYNONYMS, ALL = "with forms", "with synonyms", "all three"

# For each headword, the answers that are right by another source, and the reason.
Further = Mapping[str, Mapping[str, str]]


def plain_gold(lexicon: AuditedLexicon, pairs: NDArray[np.bool_] | None = None) -> Gold:
    """Return the translations of each headword: of all pairs, or of some of them."""
    gold: dict[str, dict[str, str]] = {}
    for number, (source, target) in enumerate(lexicon.pairs):
        if pairs is None or pairs[number]:
            gold.setdefault(source, {})[target] = "gold"
    return gold


def other_forms(lexicon: AuditedLexicon, answers: Iterable[Answers]) -> Further:
    """Return the answers that are other forms of a gold translation.

    Paradigms decide if they are there, and the lemmas of the target language.
    """
    gold, asked = plain_gold(lexicon), _asked(answers)
    candidates = {answer for several in asked.values() for answer in several}
    lemmas = {**lexicon.lemmas[1], **_candidate_lemmas(lexicon, candidates)}
    found: dict[str, dict[str, str]] = {}
    for word, several in asked.items():
        for answer in several:
            if answer not in gold[word]:
                reason = _same_word(lexicon, answer, gold[word], lemmas)
                if reason:
                    found.setdefault(word, {})[answer] = reason
    return found


def other_synonyms(lexicon: AuditedLexicon, answers: Iterable[Answers]) -> Further:
    """Return the answers that another dictionary has as translations."""
    gaps = missing_synonyms(lexicon)
    found: dict[str, dict[str, str]] = {}
    for word, several in _asked(answers).items():
        lower = {target.lower(): names for target, names in gaps.get(word, {}).items()}
        for answer in several:
            if names := lower.get(answer.lower()):
                found.setdefault(word, {})[answer] = f"in {', '.join(names)}"
    return found


def gold_variants(
    lexicon: AuditedLexicon, names: NDArray[np.bool_] | None, forms: Further, synonyms: Further
) -> dict[str, Gold]:
    """Return the variants of a lexicon, by name; those that change nothing are left out.

    `names` says which pairs are proper nouns; None if that was not looked for.
    """
    plain = plain_gold(lexicon)
    variants = {AS_IT_IS: plain}
    without = plain if names is None else plain_gold(lexicon, ~names)
    if names is not None and names.any() and without:
        variants[WITHOUT_NAMES] = without
    if forms:
        variants[WITH_FORMS] = _filled(plain, forms)
    if synonyms:
        variants[WITH_SYNONYMS] = _filled(plain, synonyms)
    if len(variants) > 2:
        variants[ALL] = _filled(_filled(without, forms), synonyms)
    return variants


def _asked(answers: Iterable[Answers]) -> dict[str, dict[str, None]]:
    """Return all candidates of each headword, by any system."""
    asked: dict[str, dict[str, None]] = {}
    for system in answers:
        for word, several in system.candidates.items():
            asked.setdefault(word, {}).update(dict.fromkeys(several))
    return asked


def _candidate_lemmas(lexicon: AuditedLexicon, words: set[str]) -> dict[str, str]:
    """Return the lemma of each word, if the target language has a lemmatizer."""
    if not lexicon.lemmas[1]:
        return {}
    lemmatizer = Lemmatizer.of(lexicon.target.lang, lexicon.lemmatizers[1])
    return lemmas_of(lemmatizer, sorted(words))


def _same_word(
    lexicon: AuditedLexicon, answer: str, gold: Iterable[str], lemmas: Mapping[str, str]
) -> str:
    """Return why an answer is a form of a gold translation; empty if it is none."""
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


def _filled(gold: Gold, further: Further) -> Gold:
    return {word: {**targets, **further.get(word, {})} for word, targets in gold.items()}
