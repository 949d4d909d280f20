"""References and hypotheses in any of the forms that `learn_noise` and `realism` take."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from misword.core.errors import OptionError
from misword.core.types import Corpus
from misword.noise.learnt.aligned_corpus import AlignedCorpus


def read_aligned(
    references: Iterable[str] | Corpus | Callable[[], Corpus], hypotheses: Iterable[str] | None
) -> AlignedCorpus:
    """Return aligned texts of two columns, of a corpus, or of a function that reads a corpus."""
    if callable(references):
        references = references()
    if isinstance(references, Corpus):
        if hypotheses is not None:
            raise OptionError(
                "a corpus has its own hypotheses", fix="leave the argument hypotheses out"
            )
        return AlignedCorpus.of_corpus(references)
    if hypotheses is None:
        raise OptionError("there are no hypotheses", fix="give a recogniser's texts, or a Corpus")
    return AlignedCorpus.align(references, hypotheses)
