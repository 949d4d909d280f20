"""Several inflected forms of one word."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.bli.flags import Flag, Flagged

SHOWN = 4  # other forms that the evidence names


@dataclass(frozen=True, slots=True)
class Inflected(Flag):
    """Headwords, or translations of one headword, that are forms of the same lemma.

    A lemma with several forms counts several times in a hit rate. Lemmas are those of the default
    lemmatizer of the language.

    Known problems: a lemmatizer sees a word without a sentence, so that some lemmas are wrong. A
    language without a lemmatizer gets no flag.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags inflected`
    """

    name: ClassVar[str] = "inflected"
    title: ClassVar[str] = "forms of one lemma"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denisova2023",)
    reads: ClassVar[tuple[Resource, ...]] = ("lemmas",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Group headwords by lemma, and the translations of each headword."""
        source_lemmas, target_lemmas = lexicon.lemmas
        headwords = _forms((source_lemmas.get(word, ""), word) for word in lexicon.source.words)
        translations = _forms(
            ((source, target_lemmas.get(target, "")), target) for source, target in lexicon.pairs
        )
        for number, (source, target) in enumerate(lexicon.pairs):
            texts = []
            lemma, target_lemma = source_lemmas.get(source, ""), target_lemmas.get(target, "")
            if lemma and (others := _others(headwords[lemma], source)):
                texts.append(f"headword: {others} of the lemma {lemma!r}")
            group = translations[source, target_lemma]
            if target_lemma and (others := _others(group, target)):
                texts.append(f"translation: {others} of the lemma {target_lemma!r}")
            if texts:
                yield Flagged(number, 1.0, "; ".join(texts))


def _forms(rows: Iterable[tuple[Hashable, str]]) -> dict[Hashable, dict[str, None]]:
    """Return the distinct words of each key."""
    forms: dict[Hashable, dict[str, None]] = {}
    for key, word in rows:
        forms.setdefault(key, {})[word] = None
    return forms


def _others(forms: dict[str, None], word: str) -> str:
    """Return the other forms, as far as they are shown."""
    return ", ".join(map(repr, [form for form in forms if form != word][:SHOWN]))
