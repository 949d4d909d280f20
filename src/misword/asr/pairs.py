"""A corpus ready to be measured: texts normalised once, views and alignments made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import Ties, align
from misword.alignment.lattice import Lattice
from misword.alignment.steps import Substitutions, substitutions
from misword.asr.alternatives import (
    Equivalents,
    Sequences,
    has_alternatives,
    lattice,
    leaves,
    parse,
)
from misword.asr.costs import Cost
from misword.asr.costs.cosine import Cosine
from misword.asr.views import View
from misword.asr.views.word import Word
from misword.core.context import Context
from misword.core.errors import MismatchError
from misword.core.types import Alignment, Corpus, Tokens
from misword.core.version import __version__
from misword.embed.vectors.opened import word_vectors
from misword.text.normalizers import Chain, normalize, normalizers, spell_chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import Case
    from misword.text.analyzers import Analysis, Analyzer

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The distinct utterances of both sides, and the one that each row has.

    Runs of white space are one space there, none at the ends: a tagger would take them for tokens
    that say something about their neighbours.
    """

    texts: list[str]
    references: NDArray[np.int64]
    hypotheses: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs `(references[index[p, 0]], hypotheses[index[p, 1]])`, keyed by the rows of `keys`.

    `source` is the corpus as it was given;
    `originals` has a row of `references` for each utterance, which no hypothesis has chosen.

    Metrics ask it for tokens, alignments and prices; whoever asks second gets the first one's.
    """

    source: Corpus
    keys: pl.DataFrame
    references: Texts
    hypotheses: Texts
    index: NDArray[np.int64]
    originals: NDArray[np.int64]
    settings: tuple[tuple[str, str], ...]
    context: Context = field(default_factory=Context)
    _kept: dict[Hashable, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.index)

    def tokens(self, view: View) -> tuple[Tokens, Tokens]:
        """References and hypotheses under a view, over one vocabulary."""
        view = self.plain(view)
        return self._keep(("tokens", view), lambda: view.tokens(self))

    def plain(self, view: View) -> View:
        """The view, or a plainer one that comes to the same here: no case where there is none."""
        return Word() if view == Word(lower=True) and self._is_lower(Word()) else view

    def alignment(
        self, view: View, ties: Ties, *, cost: Cost | None = None, operations: bool = False
    ) -> Alignment:
        """The alignment of all pairs, by unit costs or by those of a cost; kept for the next."""
        view = self.plain(view)
        key = "alignment", view, cost or ties
        kept: Alignment | None = self._kept.get(key)
        if kept is None or (operations and kept.ops is None):
            if cost is None:
                kept = self._align(view, ties=ties, operations=operations)
            else:
                guide = self.alignment(view, "misword", operations=True)
                costs = self.costs(view, cost)
                kept = self._align(view, costs=costs, guide=guide, operations=operations)
            self._kept[key] = kept
        return kept

    def costs(self, view: View, cost: Cost) -> Costs:
        """The prices of a cost over a view's vocabulary."""
        view = self.plain(view)
        return self._keep(("costs", view, cost), lambda: cost.costs(self, view))

    def case(self, view: View, case: Case) -> Case:
        """How words are looked up: as they are, if all are lower-case already."""
        return "exact" if self._is_lower(view) else case

    def units(self, view: View, case: Case) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Unit vectors of a view's vocabulary, and which tokens have one."""
        return word_vectors(self.context).units(self._vocabulary(view), case)

    def prices(
        self, view: View, ties: Ties, cost: Cost, *, aligned: Cost | None = None
    ) -> NDArray[np.float64]:
        """What each substitution costs; aligned by unit costs or by those of a cost."""
        view = self.plain(view)
        costs = self.costs(view, cost)
        _, left, right = self.substitutions(view, ties, aligned)
        if not isinstance(cost, Cosine):
            return costs.of(left, right)
        key = "cosines", view, aligned or ties, self.case(view, cost.case)
        cosines = self._keep(key, lambda: costs.cosines(left, right))
        return np.where(costs.priceable(left, right), cost.prices(cosines), 1.0)

    def unknown(self, view: View, cost: Cost) -> NDArray[np.int64]:
        """How many tokens of each reference have no vector."""
        view = self.plain(view)

        def count() -> NDArray[np.int64]:
            tokens = self.tokens(view)[0]
            where = np.flatnonzero(~self.costs(view, cost).known[tokens.ids])
            rows = np.searchsorted(tokens.offsets, where, side="right") - 1
            return np.bincount(rows, minlength=len(tokens))

        return self._keep(("unknown", view, cost), count)

    def substitutions(self, view: View, ties: Ties, cost: Cost | None = None) -> Substitutions:
        """The substitutions of an alignment: whose, and the ids of both tokens."""
        view = self.plain(view)
        return self._keep(
            ("substitutions", view, cost or ties),
            lambda: substitutions(
                self.alignment(view, ties, cost=cost, operations=True),
                *self.tokens(view),
                self.index,
                self.context.workers,
            ),
        )

    @property
    def distinct(self) -> Distinct:
        """Each distinct utterance once, for parts that are slow."""
        return self._keep("distinct", lambda: _distinct(self.references, self.hypotheses))

    @property
    def learnt(self) -> list[str]:
        """A text of each reference, whatever was heard: what some metrics learn from."""
        return [self.distinct.texts[at] for at in self.distinct.references[self.originals].tolist()]

    def analysis(self, analyzer: Analyzer) -> Analysis:
        """What an analyzer says of the distinct utterances."""
        texts = self.distinct.texts
        return self._keep(("analysis", analyzer), lambda: analyzer.analyse(texts))

    def spread(self, tokens: Tokens) -> tuple[Tokens, Tokens]:
        """Tokens of the distinct utterances laid out for both sides."""
        return tokens.take(self.distinct.references), tokens.take(self.distinct.hypotheses)

    def _is_lower(self, view: View) -> bool:
        def compare() -> bool:
            joined = "\0".join(self._vocabulary(view))
            return joined == joined.lower()

        return self._keep(("lower", view), compare)

    def _vocabulary(self, view: View) -> list[str]:
        return self._keep(("vocabulary", view), lambda: list(self.tokens(view)[0].vocabulary[:]))

    def _align(self, view: View, **how: Any) -> Alignment:
        reference, hypothesis = self.tokens(view)
        return align(reference, hypothesis, pairs=self.index, workers=self.context.workers, **how)

    def _keep(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        if key not in self._kept:
            self._kept[key] = make()
        found: Kept = self._kept[key]
        return found


def _distinct(*sides: Texts) -> Distinct:
    known: dict[str, int] = {}
    rows = []
    for side in sides:
        plain = (" ".join(text.split()) for text in side.split())
        rows.append(np.fromiter((known.setdefault(text, len(known)) for text in plain), np.int64))
    return Distinct(list(known), *rows)


def prepare(
    corpus: Corpus,
    *,
    normalize_with: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    context: Context | None = None,
) -> Pairs:
    """Normalise a corpus and choose the reading of each reference that has several."""
    chain = normalizers(normalize_with)
    same = Equivalents.of(equivalents, lambda forms: _spell(forms, chain))
    raw = Texts.of(corpus.references["text"])
    references = normalize(raw, chain)
    hypotheses = normalize(Texts.of(corpus.hypotheses["text"]), chain)
    index = _index(corpus)
    keys = _keys(corpus, index)
    originals = np.arange(len(corpus.references))
    if (alternatives and b"{" in raw.data and has_alternatives(raw.joined)) or same.classes:
        references, index, originals = _read(
            corpus, raw, references, hypotheses, index, chain, same, alternatives
        )
    settings = (
        ("norm", spell_chain(chain)),
        ("words", "whitespace"),
        ("alternatives", "sclite" if alternatives else "off"),
        ("equivalents", same.name),
        ("v", __version__),
    )
    return Pairs(
        corpus, keys, references, hypotheses, index, originals, settings, context or Context()
    )


def _index(corpus: Corpus) -> NDArray[np.int64]:
    """The reference's and the hypothesis' row of each pair, in the order of the hypotheses."""
    import polars as pl

    ids, said = corpus.references["utt"], corpus.hypotheses["utt"]
    rows = np.arange(len(said))
    _refuse_gaps(corpus)
    if len(ids) and len(said) % len(ids) == 0:
        times = len(said) // len(ids)
        if (said == pl.concat([ids] * times)).all():
            return np.stack([rows % len(ids), rows], axis=1)
    numbered = corpus.references.select("utt").with_row_index("row")
    found = corpus.hypotheses.select("utt").join(
        numbered, on="utt", how="left", maintain_order="left"
    )
    if found["row"].null_count():
        stray = found.filter(pl.col("row").is_null())["utt"][0]
        raise MismatchError(f"hypothesis {stray!r} has no reference")
    return np.stack([found["row"].to_numpy().astype(np.int64), rows], axis=1)


def _refuse_gaps(corpus: Corpus) -> None:
    """Each system must have a best hypothesis for each reference: missing is not perfect."""
    import polars as pl

    best = corpus.hypotheses.group_by("system").agg((pl.col("rank") == 1).sum())
    for system, count in best.iter_rows():
        if count != len(corpus.references):
            raise MismatchError(
                f"{len(corpus.references)} references, {count} hypotheses of {system!r}",
                fix="an empty hypothesis is an empty string",
            )


def _keys(corpus: Corpus, index: NDArray[np.int64]) -> pl.DataFrame:
    """Id, system, rank and metadata of each pair."""
    keys = corpus.hypotheses.select("utt", "system", "rank")
    if not corpus.metadata:
        return keys
    return keys.hstack(corpus.references.select(corpus.metadata)[index[:, 0]])


def _read(
    corpus: Corpus,
    raw: Texts,
    references: Texts,
    hypotheses: Texts,
    index: NDArray[np.int64],
    chain: Chain,
    same: Equivalents,
    alternatives: bool,
) -> tuple[Texts, NDArray[np.int64], NDArray[np.int64]]:
    """For each pair whose reference has several readings, add the one that fits best.

    Also of each reference with alternatives the reading that fits best where nothing was heard.
    """
    plain, heard = references.split(), hypotheses.split()
    starts = same.by_first_word.keys()
    ids = corpus.references["utt"]
    several: dict[int, Sequences] = {}
    graphs: dict[int, Lattice] = {}
    for row, text in enumerate(raw.split()):
        if alternatives and has_alternatives(text):
            several[row] = parse(text, f"utterance {ids[row]!r}")
        elif starts and not starts.isdisjoint(words := plain[row].split()):
            graphs[row] = lattice(list(words), lambda word: (word,), same)
    words = list({word for sequence in several.values() for word in leaves(sequence)})
    spelled = dict(zip(words, (form.split() for form in _spell(words, chain)), strict=True))
    for row, sequence in several.items():
        graphs[row] = lattice(sequence, spelled.__getitem__, same)
    index, originals = index.copy(), np.arange(len(plain))
    readings: dict[str, int] = {}
    for row in several:
        originals[row] = len(plain) + readings.setdefault(_said(graphs[row], ""), len(readings))
    for pair, (reference, hypothesis) in enumerate(index.tolist()):
        if reference in graphs and (reference in several or plain[reference] != heard[hypothesis]):
            reading = _said(graphs[reference], heard[hypothesis])
            index[pair, 0] = len(plain) + readings.setdefault(reading, len(readings))
    return Texts.of([*plain, *readings]), index, originals


def _said(graph: Lattice, heard: str) -> str:
    """The reading that is nearest to what was heard."""
    return " ".join(graph.reading(heard.split()))


def _spell(forms: list[str], chain: Chain) -> list[str]:
    return normalize(Texts.of(forms), chain).split()
