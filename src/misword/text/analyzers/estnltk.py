"""Lemmas and tags of Estonian from Vabamorf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.progress import progress
from misword.core.requirements import Requirement, version_of
from misword.text.analysis import Analysis, Token, gather, words
from misword.text.language_part import LanguagePart
from misword.text.tagsets import of_vabamorf


@dataclass(frozen=True, slots=True)
class Estnltk(LanguagePart):
    """Estonian lemmas and tags in context from Vabamorf, the morphological analyzer in EstNLTK.

    Of several readings that are left after disambiguation, the first is taken. The detailed tag is
    Vabamorf's part of speech with the form: `S|sg abl` is written `S|sg_abl`.

    Known problems: a white-space word is one token; names in lower case are common nouns; all
    verbs are tagged VERB.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang et`
    Reference: Laur et al. 2020, EstNLTK 1.6, LREC; https://github.com/Filosoft/vabamorf
    """

    name: ClassVar[str] = "estnltk"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = ("et",)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package has the dictionary."""
        return Requirement(("estnltk",), "pip install 'misword[estnltk]'", "Apache-2.0 or GPL-2.0")

    def settings(self, context: Context) -> Settings:
        """Package and version."""
        return (("analyzer", f"estnltk-{version_of('estnltk')}/vabamorf"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Analyse each utterance as one sentence."""
        rows = []
        with progress("tagging", len(utterances)) as step:
            for utterance in utterances:
                rows.append(tokens_of(utterance))
                step(1)
        return gather(rows, self.gives)


def tokens_of(utterance: str) -> list[Token]:
    """The words of an utterance, each with its first reading."""
    found = words(utterance)
    if not found:
        return []
    analysed = load().analyze([word for _, word in found])
    tokens = []
    for (start, word), result in zip(found, analysed, strict=True):
        reading = result["analysis"][0] if result["analysis"] else {}
        lemma, tag = reading.get("lemma") or word.lower(), reading.get("partofspeech", "Y")
        form = reading.get("form", "").strip().replace(" ", "_")
        tokens.append(
            Token(start, lemma, of_vabamorf(tag, lemma), f"{tag}|{form}" if form else tag)
        )
    return tokens


@cache
def load() -> Any:
    """Load the dictionary once."""
    from estnltk.vabamorf.morf import Vabamorf

    return Vabamorf.instance()
