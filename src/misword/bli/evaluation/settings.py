"""The settings of an evaluation, checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass, field

from misword.bli.evaluation.lemma_rules import LemmaMatch
from misword.bli.evaluation.lemmas import Lemmatizer
from misword.bli.evaluation.rates import Rate, rates_of
from misword.bli.translate import check_k
from misword.core.errors import OptionError
from misword.stat.bootstrap import Bootstrap

DEFAULT_K = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How mappings are evaluated.

    `k_values` are the numbers of candidates; `oov` is the rule of `hit@k` for out-of-vocabulary
    words; `by` are the columns of the lexicon whose values are its slices. With `lemmas` a
    candidate can also be right by its lemma. With a `source_lemmatizer`, headwords are looked up in
    the training of mappings by their lemma too. `sizes` are the numbers of words that each mapping
    is evaluated with; empty if it is evaluated once.
    """

    k_values: tuple[int, ...] = DEFAULT_K
    oov: str = "drop"
    by: tuple[str, ...] = ()
    lemmas: LemmaMatch | None = None
    source_lemmatizer: Lemmatizer | None = None
    sizes: tuple[int, ...] = ()
    bootstrap: Bootstrap = field(default_factory=Bootstrap)

    def __post_init__(self) -> None:
        if not self.k_values:
            raise OptionError("no number of candidates", fix="use some, such as 1,5,10")
        check_k(self.k_values)
        rates_of(self.k_values, self.oov)

    @property
    def rates(self) -> tuple[Rate, ...]:
        """All rates that are computed."""
        return rates_of(self.k_values, self.oov)
