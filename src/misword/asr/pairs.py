"""A corpus ready to be measured: normalised texts, with tokens and alignments computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import Ties, align
from misword.alignment.steps import substitutions
from misword.asr.alternatives import Signs, find_signs
from misword.asr.costs import Cost, Substituted, ViewVocabulary
from misword.asr.equivalents import Equivalents
from misword.asr.hypothesis_alternatives import choose_hypotheses
from misword.asr.readings import Readings, choose_readings
from misword.asr.views import Utterances, View
from misword.core.context import Context
from misword.core.errors import MismatchError
from misword.core.parts.contract import Settings
from misword.core.types import Alignment, Corpus, Tokens
from misword.core.version import __version__
from misword.text.normalizers import Chain, normalize, normalizers, spell_chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl


# Classes of words or phrases that count as the same, or a function that reads them.
EquivalentClasses = Iterable[Iterable[str]] | Callable[[], Iterable[Iterable[str]]]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of references and hypotheses, with everything that metrics derive from them.

    Pair `p` is the reference in row `index[p, 0]` and the hypothesis in row `index[p, 1]` of
    `utterances`; row `p` of `keys` identifies it. `source` is the corpus as it was read.
    `originals` computes `reference_texts`. `settings` are the settings of signatures that
    normalisation decides. `notes` tell the user what was done with the texts.

    Tokens, tables of costs and alignments are computed on first use and shared by all metrics.
    """

    source: Corpus
    keys: pl.DataFrame
    utterances: Utterances
    index: NDArray[np.int64]
    originals: Callable[[], list[str]]
    settings: Settings
    context: Context = field(default_factory=Context)
    notes: tuple[str, ...] = ()
    _cache: dict[Hashable, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.index)

    def canonical(self, view: View) -> View:
        """Return the simplest view that has the same tokens here as `view`."""
        return view.canonical(self.utterances)

    def tokens(self, view: View) -> tuple[Tokens, Tokens]:
        """Return the tokens of references and hypotheses under a view, over one vocabulary."""
        key = "tokens", (view := self.canonical(view))
        if key not in self._cache:
            self._cache[key] = view.tokens(self.utterances)
        tokens: tuple[Tokens, Tokens] = self._cache[key]
        return tokens

    def vocabulary(self, view: View) -> ViewVocabulary:
        """Return the vocabulary of a view."""
        key = "vocabulary", (view := self.canonical(view))
        if key not in self._cache:
            tokens = list(self.tokens(view)[0].vocabulary[:])
            self._cache[key] = ViewVocabulary(tokens, self.context)
        vocabulary: ViewVocabulary = self._cache[key]
        return vocabulary

    def costs(self, view: View, cost: Cost) -> Costs:
        """Return the table of a cost over the vocabulary of a view."""
        key = "costs", (view := self.canonical(view)), cost
        if key not in self._cache:
            self._cache[key] = cost.table(self.vocabulary(view))
        costs: Costs = self._cache[key]
        return costs

    def alignment(
        self, view: View, ties: Ties, *, cost: Cost | None = None, operations: bool = False
    ) -> Alignment:
        """Align all pairs by unit costs (under a tie rule) or by the costs of `cost`."""
        key = "alignment", (view := self.canonical(view)), cost or ties
        alignment: Alignment | None = self._cache.get(key)
        if alignment is None or (operations and alignment.ops is None):
            rule: dict[str, Any] = {"ties": ties}
            if cost is not None:
                by_unit_costs = self.alignment(view, "misword", operations=True)
                rule = {"costs": self.costs(view, cost), "guide": by_unit_costs}
            workers = self.context.workers
            alignment = align(
                *self.tokens(view), pairs=self.index, operations=operations, workers=workers, **rule
            )
            self._cache[key] = alignment
        return alignment

    def substituted(self, view: View, ties: Ties, *, cost: Cost | None = None) -> Substituted:
        """Return the substitutions of the alignment that the same arguments give."""
        key = "substituted", (view := self.canonical(view)), cost or ties
        if key not in self._cache:
            alignment = self.alignment(view, ties, cost=cost, operations=True)
            tokens = self.tokens(view)
            rows = substitutions(alignment, *tokens, self.index, self.context.workers)
            self._cache[key] = Substituted(self.vocabulary(view), *rows)
        substituted: Substituted = self._cache[key]
        return substituted

    @property
    def reference_texts(self) -> list[str]:
        """A text of each reference, with single spaces, for metrics that are fitted.

        Of a reference with alternatives it is the reading that is chosen for an empty hypothesis,
        so that it does not depend on any hypothesis.
        """
        if "reference texts" not in self._cache:
            self._cache["reference texts"] = [" ".join(text.split()) for text in self.originals()]
        texts: list[str] = self._cache["reference texts"]
        return texts


def prepare(
    corpus: Corpus,
    *,
    normalize_with: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: EquivalentClasses = (),
    context: Context | None = None,
) -> Pairs:
    """Normalise a corpus and choose the reading of each reference that has alternatives."""
    classes = list(equivalents() if callable(equivalents) else equivalents)
    chain = normalizers(normalize_with)
    equivalence = Equivalents(())
    if classes:
        equivalence = Equivalents.of(classes, lambda forms: _normalized(forms, chain))
    raw, raw_hypotheses = (
        Texts.of(side["text"]) for side in (corpus.references, corpus.hypotheses)
    )
    references, hypotheses = normalize(raw, chain), normalize(raw_hypotheses, chain)
    index = _index(corpus)
    keys = _keys(corpus, index)
    context = context or Context()
    readings = Readings(references, index, references.split)
    ids = corpus.references["utt"]
    signs = find_signs(raw, ids) if alternatives else Signs.none(raw)
    of_hypotheses = Signs.none(raw_hypotheses)
    if alternatives:
        of_hypotheses = find_signs(raw_hypotheses, corpus.hypotheses["utt"], "hypothesis of")
    if len(of_hypotheses):
        hypotheses = choose_hypotheses(
            hypotheses, index, (signs, of_hypotheses), chain, ids, context.workers
        )
    if len(signs) or equivalence.classes:
        readings = choose_readings(
            references, hypotheses, index, signs, equivalence, chain, context.workers
        )
    settings = (
        ("norm", spell_chain(chain)),
        ("words", "whitespace"),
        ("alternatives", "sclite" if alternatives else "off"),
        ("equivalents", equivalence.name),
        ("v", __version__),
    )
    utterances = Utterances(readings.texts, hypotheses)
    notes = _notes(of_hypotheses)
    return Pairs(
        corpus, keys, utterances, readings.index, readings.originals, settings, context, notes
    )


def _notes(of_hypotheses: Signs) -> tuple[str, ...]:
    """Return a note on hypotheses with alternatives, which are scored by their best reading."""
    count = int(np.count_nonzero(np.diff(of_hypotheses.offsets)))
    if not count:
        return ()
    return (
        f"{count:,} hypotheses have alternatives ({{ a / b }}); of each, the reading with the "
        "fewest errors is scored",
    )


def _index(corpus: Corpus) -> NDArray[np.int64]:
    """Return the rows of the reference and of the hypothesis of each pair, by hypothesis."""
    import polars as pl

    ids, hypothesis_ids = corpus.references["utt"], corpus.hypotheses["utt"]
    rows = np.arange(len(hypothesis_ids))
    _check_complete(corpus)
    if len(ids) and len(hypothesis_ids) % len(ids) == 0:
        times = len(hypothesis_ids) // len(ids)
        if (hypothesis_ids == pl.concat([ids] * times)).all():
            return np.stack([rows % len(ids), rows], axis=1)
    numbered = corpus.references.select("utt").with_row_index("row")
    joined = corpus.hypotheses.select("utt").join(
        numbered, on="utt", how="left", maintain_order="left"
    )
    if joined["row"].null_count():
        unmatched = joined.filter(pl.col("row").is_null())["utt"][0]
        raise MismatchError(f"hypothesis {unmatched!r} has no reference")
    return np.stack([joined["row"].to_numpy().astype(np.int64), rows], axis=1)


def _check_complete(corpus: Corpus) -> None:
    """Raise unless each system has a best hypothesis for each reference."""
    import polars as pl

    best = corpus.hypotheses.group_by("system").agg((pl.col("rank") == 1).sum())
    for system, count in best.iter_rows():
        if count != len(corpus.references):
            raise MismatchError(
                f"{len(corpus.references)} references, {count} hypotheses of {system!r}",
                fix="an empty hypothesis is an empty string",
            )


def _keys(corpus: Corpus, index: NDArray[np.int64]) -> pl.DataFrame:
    """Return the id, system, rank and metadata of each pair."""
    keys = corpus.hypotheses.select("utt", "system", "rank")
    if not corpus.metadata:
        return keys
    return keys.hstack(corpus.references.select(corpus.metadata)[index[:, 0]])


def _normalized(forms: list[str], chain: Chain) -> list[str]:
    """Return each form after normalisation."""
    return normalize(Texts.of(forms), chain).split()
