"""What a recogniser really confuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.noise.channels import wordlists
from misword.noise.channels.candidate_table import check_numbers
from misword.noise.channels.phonology import Phonology
from misword.noise.hearing import Hearing
from misword.noise.learnt.confusion_model import AUTO, NEIGHBOURS, Model, learn
from misword.noise.learnt.confusions import Confusions
from misword.noise.learnt.observed import Observed


@dataclass(frozen=True, slots=True)
class Confusion:
    """P(heard | said) of a real recogniser, learnt from its errors by `misword learn-noise`.

    Why: only real errors know which words are hit, which are dropped, and what comes instead.

    `file` is what `learn-noise` wrote, which also says from which list other words may be heard;
    `vocabulary` counts where the channel is taught anew (`misword realism`). Words that were
    substituted there are heard as they were there, discounted; the rest goes to the `most` words
    nearest in sound, and to words that are often heard in place of others. Substitutions, deletions
    and insertions come in their real proportion, and each word is hit as often as it was.

    Known problems: words are hit independently of each other, whatever stands around them, while
    real errors come in runs. A word that is neither learnt nor in the list is never heard.

    Example: `misword corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o noisy.txt`
    Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
    language modelling, Computer Speech and Language 8, 1994 (absolute discounting).
    """

    name: ClassVar[str] = "confusion"
    wants: ClassVar[str] = ""
    heeds: ClassVar[tuple[str, ...]] = ("lang",)

    file: str = ""
    vocabulary: str = AUTO
    most: int = NEIGHBOURS

    def check(self, context: Context) -> None:
        """The file must be there, and a language that it needs."""
        if not self.file:
            raise OptionError(
                "the channel confusion needs a file",
                fix="make one: misword learn-noise REF HYP -o noise.json, then "
                "--channel confusion:file=noise.json",
            )
        if not Path(self.file).is_file():
            raise InputError("no such file", where=self.file, fix="check the path")
        self._learnt().check(context)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What was learnt, by its hash, and how words sound."""
        return self._learnt().settings(context)

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """The candidates of each word."""
        return self._learnt().hear(words, context)

    def learn(self, observed: Observed, context: Context) -> Learnt:
        """The channel that other errors make, whatever the file says."""
        check_numbers(most=self.most)
        learnt = learn(observed, context, vocabulary=self.vocabulary, most=self.most)
        return Learnt(learnt, self.most)

    def _learnt(self) -> Learnt:
        status = Path(self.file).stat()
        return Learnt(_read(self.file, status.st_mtime_ns, status.st_size), self.most)


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Confusions:
    return Confusions.read(path)


@dataclass(frozen=True, slots=True)
class Learnt:
    """The channel of counts that are at hand."""

    name: ClassVar[str] = "confusion"
    wants: ClassVar[str] = ""
    heeds: ClassVar[tuple[str, ...]] = ("lang",)

    confusions: Confusions
    most: int = NEIGHBOURS

    def check(self, context: Context) -> None:
        """The language it was learnt with must be one that can be said."""
        check_numbers(most=self.most)
        lang = self.confusions.lang
        if context.lang and lang and context.lang != lang:
            raise OptionError(
                f"the noise was learnt in {lang!r}, the text is in {context.lang!r}",
                fix="learn it in the language of the text, or leave --lang out",
            )
        if lang:
            Phonology(lang).check()
        if self.confusions.vocabulary:
            wordlists.check(self.confusions.vocabulary, lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What was learnt, by its hash, and how words sound."""
        learnt = ("learnt", self.confusions.digest)
        lang, source = self.confusions.lang, self.confusions.vocabulary
        sounds = Phonology(lang).settings if lang else ()
        words = wordlists.settings(source, lang) if source else (("vocabulary", "learnt"),)
        return ("channel", self.name), learnt, ("most", str(self.most)), *words, *sounds

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """The candidates of each word."""
        return Model(self.confusions, context, self.most).hear(words)
