"""Lemmas and tags of Estonian from the morphological analyzer Vabamorf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.text.analysis import Analysis, Token, analyse_by_utterance, words
from misword.text.analyzers import Analyzer
from misword.text.tagsets import of_vabamorf


@dataclass(frozen=True, slots=True)
class Estnltk(Analyzer):
    """Estonian lemmas and tags in context from Vabamorf, the morphological analyzer in EstNLTK.

    If a word has several analyses after disambiguation, the first is used. The detailed tag is
    Vabamorf's part of speech with the form; a space in the form is written `_` (`S|sg_abl`).

    Known problems: a white-space word is one token; names in lower case are tagged as common nouns;
    auxiliaries are tagged VERB, not AUX.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang et`
    Reference: Laur et al. 2020, EstNLTK 1.6, LREC; https://github.com/Filosoft/vabamorf
    """

    name: ClassVar[str] = "estnltk"
    title: ClassVar[str] = "EstNLTK"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = ("et",)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """EstNLTK, which contains the dictionary."""
        return Requirement(("estnltk",), "pip install 'misword[estnltk]'", "Apache-2.0 or GPL-2.0")

    def settings(self, context: Context) -> Settings:
        """Version of EstNLTK."""
        return (("analyzer", f"estnltk-{version_of('estnltk')}/vabamorf"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Analyse each utterance as one sentence."""
        return analyse_by_utterance(utterances, tokens_of, self.gives)


def tokens_of(utterance: str) -> list[Token]:
    """Return the words of an utterance as tokens, each with its first analysis."""
    located = words(utterance)
    if not located:
        return []
    results = load().analyze([word for _, word in located])
    tokens = []
    for (start, word), result in zip(located, results, strict=True):
        analysis = result["analysis"][0] if result["analysis"] else {}
        lemma, tag = analysis.get("lemma") or word.lower(), analysis.get("partofspeech", "Y")
        form = analysis.get("form", "").strip().replace(" ", "_")
        tokens.append(
            Token(start, lemma, of_vabamorf(tag, lemma), f"{tag}|{form}" if form else tag)
        )
    return tokens


@cache
def load() -> Any:
    """Return Vabamorf with its dictionary, loaded once per process."""
    from estnltk.vabamorf.morf import Vabamorf

    return Vabamorf.instance()
