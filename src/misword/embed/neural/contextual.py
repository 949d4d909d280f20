"""Contextual vectors of the tokens of texts, and the greedy matching of the tokens of two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil

import numpy as np
from numpy.typing import NDArray

from misword.core.parts import Requirement, Settings
from misword.core.progress import Step
from misword.embed.neural import batches, models, networks
from misword.embed.neural.batches import HiddenStates, TokenIds, pad
from misword.embed.neural.models import Model, layer_count
from misword.embed.neural.networks import Dtype
from misword.embed.neural.tokenizer import Tokenizer, load_tokenizer
from misword.embed.sentence_cache import SentenceCache, encode_missing


@dataclass(frozen=True, slots=True)
class ContextualEncoder:
    """A model that gives the hidden states of one layer.

    `layer` 0 means the best layer of the model if it is known, otherwise three quarters of the
    layers.
    """

    model: str
    layer: int = 0
    dtype: Dtype = "float32"

    def check(self) -> None:
        """Raise unless the package and the model's folder exist; the hub is not contacted yet."""
        Requirement(("transformers",), models.INSTALL).check("bertscore")
        models.check_model(self.model)

    @property
    def used_layer(self) -> int:
        """The number of the layer whose hidden states are used."""
        if self.layer:
            return self.layer
        layers = layer_count(self._model)
        name = self.model.rstrip("/")
        best = best_layers().get(name) or best_layers().get(name.rpartition("/")[2], 0)
        return best if 1 <= best <= layers else ceil(layers * 3 / 4)

    @property
    def settings(self) -> Settings:
        """The model, its digest, the layer, and the runtime."""
        model = self._model
        networks.try_model(model, self.dtype, self.used_layer, self._tokenizer, unit_states)
        runtime = networks.settings(model, self.dtype, self.used_layer)
        return *model.settings, ("layer", str(self.used_layer)), *runtime

    @property
    def boundary_ids(self) -> tuple[int, ...]:
        """Ids of the special tokens at the start and the end of a text."""
        return self._tokenizer.boundary_ids

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the token ids of each text."""
        return self._tokenizer.ids(self._prepare(texts))

    def partial(self, texts: Sequence[str], texts_ids: Sequence[TokenIds]) -> NDArray[np.bool_]:
        """Return which texts have more tokens than the model accepts."""
        return self._tokenizer.truncated(self._prepare(texts), texts_ids)

    def without_tokens(self, texts_ids: Sequence[TokenIds]) -> NDArray[np.bool_]:
        """Return which texts have no tokens: the tokenizer drops all their characters."""
        return self._tokenizer.without_tokens(texts_ids)

    def token_vectors(
        self,
        texts: Sequence[str],
        texts_ids: Sequence[TokenIds],
        *,
        step: Step,
        keep: bool = False,
        workers: int | None = None,
    ) -> list[HiddenStates]:
        """Return for each text a matrix of the vectors of its tokens, scaled to length one.

        `keep` reads vectors from the cache and stores new ones there. `step` is called with the
        number of texts, those from the cache included.
        """
        cache = SentenceCache(repr(self.settings)) if keep else None
        ids = dict(zip(texts, texts_ids, strict=True))
        from_cache = len(texts)

        def encode(missing: Sequence[str]) -> list[HiddenStates]:
            nonlocal from_cache
            from_cache -= len(missing)
            return self._run([ids[text] for text in missing], step, workers)

        vectors = encode_missing(cache, texts, encode)
        step(from_cache)
        return vectors

    def _run(
        self, texts_ids: Sequence[TokenIds], step: Step, workers: int | None
    ) -> list[HiddenStates]:
        network = networks.load_network(self._model, self.dtype, self.used_layer)
        padding = self._tokenizer.padding
        vectors: list[HiddenStates] = [np.empty((0, 0), np.float32)] * len(texts_ids)
        for numbers, batch in batches.run(
            network, texts_ids, padding, unit_states, step=step, workers=workers
        ):
            for at, states in zip(numbers.tolist(), batch, strict=True):
                vectors[at] = states[: len(texts_ids[at])]
        return vectors

    @property
    def _model(self) -> Model:
        return models.find_model(self.model)

    @property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._model)

    def _prepare(self, texts: Sequence[str]) -> Sequence[str]:
        """Put a space before each text, for tokenizers that treat the first word differently."""
        if not self._tokenizer.needs_leading_space:
            return texts
        return [f" {text}" if text else text for text in texts]


@cache
def best_layers() -> dict[str, int]:
    """Return the layer of each model whose vectors agree best with human judgements.

    The table is that of the package bert_score 0.3.13 (MIT), computed on the translations of WMT
    2016. For other models three quarters of the layers is a good approximation.
    """
    table = files("misword.embed.neural").joinpath("layers.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    return {name: int(layer) for name, layer in rows}


def unit_states(states: HiddenStates, lengths: NDArray[np.int64]) -> HiddenStates:
    """Scale each hidden state to length one."""
    norms = np.sqrt(np.einsum("btc,btc->bt", states, states))
    norms[norms == 0] = 1
    return np.asarray(states / norms[..., None], np.float32)


# Greedy matching, in batches.

CELLS = 1 << 18  # cosines in a batch: a megabyte


def greedy_match(
    left: Sequence[HiddenStates],
    right: Sequence[HiddenStates],
    left_weights: Sequence[NDArray[np.float64]],
    right_weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return for each pair of texts the weighted means of the best cosines of its tokens.

    Each text is a matrix of token vectors of length one. The first column is the mean over the
    tokens of the left text, the second column that of the right text.
    """
    sizes = np.array([(len(a), len(b)) for a, b in zip(left, right, strict=True)]).reshape(-1, 2)
    order = np.lexsort((sizes[:, 1], sizes[:, 0]))
    means = np.empty((len(sizes), 2))
    start = 0
    while start < len(order):
        end = _batch_end(sizes[order], start)
        pairs = order[start:end].tolist()
        best = _best_cosines([left[i] for i in pairs], [right[i] for i in pairs])
        weights = [left_weights[i] for i in pairs], [right_weights[i] for i in pairs]
        for side in (0, 1):
            means[pairs, side] = _weighted_means(best[side], weights[side])
        start = end
    return means


def _batch_end(sizes: NDArray[np.int64], start: int) -> int:
    """Return the end of the batch that begins at `start`: at most CELLS cosines, or one pair."""
    ahead = sizes[start : start + 256]
    widest = np.maximum.accumulate(ahead, axis=0)
    cells = widest.prod(axis=1) * np.arange(1, len(ahead) + 1)
    return start + max(1, int(np.searchsorted(cells, CELLS, side="right")))


def _best_cosines(
    left: Sequence[HiddenStates], right: Sequence[HiddenStates]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the best cosine of each token of either side; padding has -1, the least cosine."""
    a, a_mask = pad(left)
    b, b_mask = pad(right)
    cosines = a @ b.transpose(0, 2, 1)
    cosines[~(a_mask[:, :, None] & b_mask[:, None, :])] = -1
    return cosines.max(axis=2), cosines.max(axis=1)


def _weighted_means(
    best: NDArray[np.float32], weights: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return weighted means of rows; a row whose weights are all zero has equal weights."""
    padded = np.zeros(best.shape)
    for row, weight in zip(padded, weights, strict=True):
        row[: len(weight)] = weight if weight.any() else 1
    return np.asarray((best * padded).sum(axis=1) / padded.sum(axis=1))
