"""A corpus ready to be measured: texts normalised once, views and alignments made once and kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Ties, align
from misword.alignment.lattice import Lattice
from misword.asr.readings import (
    Equivalents,
    Sequences,
    has_alternatives,
    lattice,
    leaves,
    parse,
)
from misword.asr.views import View
from misword.core.errors import MismatchError
from misword.core.types import Alignment, Corpus, Tokens
from misword.core.version import __version__
from misword.text.normalizers import Chain, normalize, normalizers, spell_chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs `(references[index[p, 0]], hypotheses[index[p, 1]])`, keyed by the rows of `keys`.

    Metrics ask it for alignments; whoever asks second for the same view and tie rule gets the first
    one's.
    """

    keys: pl.DataFrame
    references: Texts
    hypotheses: Texts
    index: NDArray[np.int64]
    settings: tuple[tuple[str, str], ...]
    workers: int | None = None
    _tokens: dict[View, tuple[Tokens, Tokens]] = field(default_factory=dict)
    _alignments: dict[tuple[View, str], Alignment] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.index)

    def tokens(self, view: View) -> tuple[Tokens, Tokens]:
        """References and hypotheses under a view, over one vocabulary."""
        if view not in self._tokens:
            reference, hypothesis = view.tokens([self.references, self.hypotheses])
            self._tokens[view] = reference, hypothesis
        return self._tokens[view]

    def alignment(self, view: View, ties: Ties, *, operations: bool = False) -> Alignment:
        """The unit-cost alignment of all pairs; its operations only where asked for."""
        kept = self._alignments.get((view, ties))
        if kept is None or (operations and kept.ops is None):
            reference, hypothesis = self.tokens(view)
            kept = align(
                reference,
                hypothesis,
                pairs=self.index,
                ties=ties,
                operations=operations,
                workers=self.workers,
            )
            self._alignments[view, ties] = kept
        return kept


def prepare(
    corpus: Corpus,
    *,
    normalize_with: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    workers: int | None = None,
) -> Pairs:
    """Normalise a corpus and choose the reading of each reference that has several."""
    chain = normalizers(normalize_with)
    same = Equivalents.of(equivalents, lambda forms: _spell(forms, chain))
    raw = Texts.of(corpus.references["text"])
    references = normalize(raw, chain)
    hypotheses = normalize(Texts.of(corpus.hypotheses["text"]), chain)
    index = _index(corpus)
    keys = _keys(corpus, index)
    if (alternatives and b"{" in raw.data and has_alternatives(raw.joined)) or same.classes:
        references, index = _read(
            corpus, raw, references, hypotheses, index, chain, same, alternatives
        )
    settings = (
        ("norm", spell_chain(chain)),
        ("words", "whitespace"),
        ("alternatives", "sclite" if alternatives else "off"),
        ("equivalents", same.name),
        ("v", __version__),
    )
    return Pairs(keys, references, hypotheses, index, settings, workers)


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
) -> tuple[Texts, NDArray[np.int64]]:
    """For each pair whose reference has several readings, add the one that fits best."""
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
    index = index.copy()
    readings: dict[str, int] = {}
    for pair, (reference, hypothesis) in enumerate(index.tolist()):
        if reference in graphs and (reference in several or plain[reference] != heard[hypothesis]):
            reading = " ".join(graphs[reference].reading(heard[hypothesis].split()))
            index[pair, 0] = len(plain) + readings.setdefault(reading, len(readings))
    return Texts.of([*plain, *readings]), index


def _spell(forms: list[str], chain: Chain) -> list[str]:
    return normalize(Texts.of(forms), chain).split()
