"""The channel `confusion`: the errors of a real recogniser, learnt from its transcripts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings
from misword.noise import wordlists
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.channels import Channel
from misword.noise.error_model import ErrorModel
from misword.noise.learn import AUTO, NEIGHBOURS, ConfusionModel, learn
from misword.noise.learnt_noise import LearntNoise
from misword.noise.phonology import Phonology
from misword.noise.wordlists import check_numbers


@dataclass(frozen=True, slots=True)
class Confusion(Channel):
    """P(heard | said) of a real recogniser, learnt from its errors by `misword learn-noise`.

    Why: only real errors show which words are substituted, which are deleted, and by which words
    they are substituted.

    `file` is what `learn-noise` wrote; it also names the list of further candidate words. Without a
    file, `misword realism` lets the channel learn from a half of its texts, with the list that
    `vocabulary` names. A file is judged as it is: it should be learnt from other texts. A word that
    was substituted in the training data has the same substitutes, with discounted probabilities;
    the rest of the probability goes to the `most` words nearest in sound, and to words that often
    substitute others. Substitutions, deletions and insertions have the shares of the training data,
    and each word has its own error rate.

    Known problems: errors are independent of each other and of the words around them, while real
    errors come in runs. A word that is neither in the training data nor in the list is never a
    substitute.

    Example: `misword corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o noisy.txt`
    Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
    language modelling, Computer Speech and Language 8, 1994 (absolute discounting).
    """

    name: ClassVar[str] = "confusion"
    title: ClassVar[str] = "Learnt confusions"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("ney1994",)
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    file: str = ""
    vocabulary: str = AUTO
    most: int = NEIGHBOURS

    def check(self, context: Context) -> None:
        """Raise an error if the file, or a part that it needs, is missing."""
        if not self.file:
            raise OptionError(
                "the channel confusion needs a file",
                fix="make one: misword learn-noise REF HYP -o noise.json, then "
                "--channel confusion:file=noise.json",
            )
        if not os.path.isfile(self.file):
            raise InputError("no such file", where=self.file, fix="check the path")
        self._from_file().check(context)

    def settings(self, context: Context) -> Settings:
        """The hash of the learnt noise, the word list and the phonemizer."""
        return self._from_file().settings(context)

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return the model of the words by the learnt noise of the file."""
        return self._from_file().error_model(words, context)

    @property
    def learns(self) -> bool:
        """It learns from any aligned corpus, unless a file has what was learnt before."""
        return not self.file

    def learn(self, corpus: AlignedCorpus, context: Context) -> LearntConfusion:
        """Return the channel that is learnt from a corpus, or that of `file`."""
        if self.file:
            return self._from_file()
        check_numbers(most=self.most)
        noise = learn(corpus.best(), context, vocabulary=self.vocabulary, most=self.most)
        return LearntConfusion(noise, self.most)

    def _from_file(self) -> LearntConfusion:
        """Return the channel with the learnt noise of `file`."""
        status = Path(self.file).stat()
        noise = _read_once(self.file, status.st_mtime_ns, status.st_size)
        return LearntConfusion(noise, self.most)


@lru_cache(maxsize=4)
def _read_once(path: str, modified: int, size: int) -> LearntNoise:
    """Read a file; read it again only if its modification time or its size changes."""
    return LearntNoise.read(path)


@dataclass(frozen=True, slots=True)
class LearntConfusion(Channel):
    """The channel `confusion` with its learnt noise in memory."""

    name: ClassVar[str] = Confusion.name
    title: ClassVar[str] = Confusion.title
    family: ClassVar[str] = Confusion.family
    cites: ClassVar[tuple[str, ...]] = Confusion.cites
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    noise: LearntNoise
    most: int = NEIGHBOURS

    def check(self, context: Context) -> None:
        """Raise an error if the context has another language than the noise was learnt in."""
        check_numbers(most=self.most)
        lang = self.noise.lang
        if context.lang and lang and context.lang != lang:
            raise OptionError(
                f"the noise was learnt in {lang!r}, the text is in {context.lang!r}",
                fix="learn it in the language of the text, or leave --lang out",
            )
        if lang:
            Phonology(lang).check()
        if self.noise.vocabulary:
            wordlists.check(self.noise.vocabulary, lang)

    def settings(self, context: Context) -> Settings:
        """The hash of the learnt noise, the word list and the phonemizer."""
        lang, source = self.noise.lang, self.noise.vocabulary
        learnt = ("learnt", self.noise.digest)
        phonology = Phonology(lang).settings if lang else ()
        words = wordlists.settings(source, lang) if source else (("vocabulary", "learnt"),)
        return ("channel", self.name), learnt, ("most", str(self.most)), *words, *phonology

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return the model of the words."""
        return ConfusionModel(self.noise, context, self.most).error_model(words)
