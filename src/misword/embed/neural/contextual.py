"""Vectors of the pieces of texts in their context, for metrics that match piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import Step
from misword.embed.neural import batches, models, networks
from misword.embed.neural.batches import Ids, States
from misword.embed.neural.networks import Dtype
from misword.embed.sentence_cache import SentenceCache, through
from misword.text.needs import Need

# The layer whose vectors agree best with people's judgements of translations (WMT 2016), as the
# authors of BERTScore found; of other models three quarters of the layers, which is about that.
LAYERS = {
    "bert-base-chinese": 8,
    "bert-base-multilingual-cased": 9,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "camembert-base": 9,
    "deberta-xlarge-mnli": 40,
    "distilbert-base-uncased": 5,
    "microsoft/deberta-xlarge-mnli": 40,
    "roberta-base": 10,
    "roberta-large": 17,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
}


@dataclass(frozen=True, slots=True)
class Contextual:
    """A model cut off after a `layer` (0: the one in `LAYERS`)."""

    model: str
    layer: int = 0
    dtype: Dtype = "float32"

    def check(self) -> None:
        """The packages and the model must be there; the hub is asked later."""
        Need(("transformers",), models.INSTALL).check("bertscore")
        models.check(self.model)

    @property
    def depth(self) -> int:
        """The number of the layer that is used."""
        own = LAYERS.get(self.model.rpartition("/")[2])
        layers = int(models.find(self.model).config.get("num_hidden_layers", 12))
        return self.layer or own or ceil(layers * 3 / 4)

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The model, its digest, the layer, and what runs it."""
        model = models.find(self.model)
        networks.network(self.model, self.dtype, self.depth)
        run = networks.settings(model, self.dtype, self.depth)
        return *model.settings, ("layer", str(self.depth)), *run

    @property
    def marks(self) -> tuple[int, ...]:
        """Ids of the pieces that only begin and end a text."""
        return networks.pieces(self.model).marks

    def pieces(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text's pieces."""
        return networks.pieces(self.model).ids(texts)

    def partial(self, texts: Sequence[str], rows: Sequence[Ids]) -> NDArray[np.bool_]:
        """Which texts have more pieces than the model takes."""
        return networks.pieces(self.model).beyond(texts, rows)

    def units(
        self,
        texts: Sequence[str],
        rows: Sequence[Ids],
        *,
        step: Step,
        keep: bool = False,
        workers: int | None = None,
    ) -> list[States]:
        """For each text a matrix: the vectors of its pieces, of length one."""
        cache = SentenceCache(repr(self.settings)) if keep else None
        ids = dict(zip(texts, rows, strict=True))
        kept = len(texts)

        def encode(some: Sequence[str]) -> list[States]:
            nonlocal kept
            kept -= len(some)
            return self._run([ids[text] for text in some], step, workers)

        found = through(cache, texts, encode)
        step(kept)
        return found

    def _run(self, rows: Sequence[Ids], step: Step, workers: int | None) -> list[States]:
        network = networks.network(self.model, self.dtype, self.depth)
        padding = networks.pieces(self.model).padding
        found: list[States] = [np.empty((0, 0), np.float32)] * len(rows)
        for which, left in batches.run(network, rows, padding, scaled, step=step, workers=workers):
            for at, states in zip(which.tolist(), left, strict=True):
                found[at] = states[: len(rows[at])]
        return found


def scaled(states: States, lengths: Ids) -> States:
    """Each state of length one."""
    norms = np.sqrt(np.einsum("bpn,bpn->bp", states, states))
    norms[norms == 0] = 1
    return np.asarray(states / norms[..., None], np.float32)
