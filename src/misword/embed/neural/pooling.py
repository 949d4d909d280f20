"""How a sentence-transformers model makes one vector of the states of a sentence's pieces.

Its folder lists modules: the network, a pooling, maybe dense layers, maybe a normalisation (which a
cosine does not see). A model without such a list is pooled by the mean, as that library does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.embed.neural.batches import Ids, States
from misword.embed.neural.models import Model

# Names of the pooling modes by the older switches, in the order in which results are joined.
SWITCHES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
ACTIVATIONS: dict[str, Callable[[States], States]] = {
    "Tanh": np.tanh,
    "Identity": lambda rows: rows,
    "ReLU": lambda rows: np.maximum(rows, 0),
}


@dataclass(frozen=True, eq=False)
class Dense:
    """A layer after the pooling."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    activation: str

    def __call__(self, rows: States) -> States:
        """Rows times weights, plus bias, bent."""
        moved = rows @ self.weight.T
        return ACTIVATIONS[self.activation](moved if self.bias is None else moved + self.bias)


@dataclass(frozen=True, eq=False)
class Pooling:
    """The modes (joined where there are several), the dense layers, and what is done to a text.

    It is cut to a `limit`, maybe put in lower case, and a `prompt` stands before it.
    """

    modes: tuple[str, ...] = ("mean",)
    layers: tuple[Dense, ...] = ()
    limit: int | None = None
    lower: bool = False
    prompt: str = ""

    def spell(self, texts: Sequence[str]) -> list[str]:
        """Texts as the model wants them written."""
        whole = [self.prompt + text for text in texts]
        return [text.lower() for text in whole] if self.lower else whole

    def __call__(self, states: States, lengths: Ids) -> States:
        """One row for each text of a batch."""
        rows = np.concatenate([pool(mode, states, lengths) for mode in self.modes], axis=1)
        for layer in self.layers:
            rows = layer(rows)
        return rows.astype(np.float32, copy=False)


def pool(mode: str, states: States, lengths: Ids) -> States:
    """One row for each text, by one mode."""
    inside = (np.arange(states.shape[1]) < lengths[:, None])[..., None]
    if mode == "cls":
        return states[:, 0]
    if mode == "lasttoken":
        return np.asarray(states[np.arange(len(states)), lengths - 1])
    if mode == "max":
        return np.asarray(np.where(inside, states, -np.inf).max(axis=1))
    if mode == "weightedmean":
        weights = inside * np.arange(1, states.shape[1] + 1, dtype=np.float32)[:, None]
        return np.asarray((states * weights).sum(axis=1) / weights.sum(axis=1))
    total = (inside.astype(np.float32).transpose(0, 2, 1) @ states)[:, 0]
    size = lengths if mode == "mean" else np.sqrt(lengths)
    return np.asarray(total / size[:, None], np.float32)


def pooling(model: Model) -> Pooling:
    """What a model's folder says of it."""
    return model.keep("pooling", lambda: _pooling(model))


def _pooling(model: Model) -> Pooling:
    modules = model.read("modules.json")
    if modules is None:
        return Pooling()
    if not isinstance(modules, list) or not all(
        isinstance(module, dict) and {"type", "path"} <= module.keys() for module in modules
    ):
        raise _odd(model, "modules.json", "a list of modules with type and path")
    modes: tuple[str, ...] = ("mean",)
    layers = []
    prompt = _prompt(model)
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
    said = _mapping(model, "sentence_bert_config.json")
    limit = said.get("max_seq_length")
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise _odd(model, "sentence_bert_config.json", "max_seq_length as a number above 0")
    return Pooling(modes, tuple(layers), limit, bool(said.get("do_lower_case")), prompt)


def _prompt(model: Model) -> str:
    """The words that stand before each text by default."""
    file = "config_sentence_transformers.json"
    said = _mapping(model, file)
    name, prompts = said.get("default_prompt_name"), said.get("prompts") or {}
    if name is None:
        return ""
    if not isinstance(prompts, dict) or name not in prompts:
        raise _odd(model, file, f"a prompt {name!r}, which it names as the default")
    return str(prompts[name] or "")


def _modes(model: Model, path: str, prompt: str) -> tuple[str, ...]:
    said = _mapping(model, f"{path}/config.json")
    if prompt and said.get("include_prompt") is False:
        raise OptionError(
            f"model {model.name!r} leaves its prompt out of the pooling, which misword does not do",
            where=str(model.folder),
            fix="name another model",
        )
    named = said.get("pooling_mode") or [
        mode for switch, mode in SWITCHES.items() if said.get(switch)
    ]
    modes = (named,) if isinstance(named, str) else tuple(named)
    if unknown := set(modes).difference(SWITCHES.values()):
        raise OptionError(f"pooling {unknown.pop()!r} is not known", where=str(model.folder))
    return modes or ("mean",)


def _dense(model: Model, path: str) -> Dense:
    said = _mapping(model, f"{path}/config.json")
    activation = str(said.get("activation_function", "Tanh")).rpartition(".")[2]
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
    except Exception as error:  # safetensors' own is no subclass of another
        raise InputError(
            f"the dense layer does not load: {error}", where=str(file), fix="fetch it again"
        ) from error


def _mapping(model: Model, name: str) -> dict[str, Any]:
    """What a JSON file says; nothing if it is not there."""
    said = model.read(name)
    if said is None:
        return {}
    if not isinstance(said, dict):
        raise _odd(model, name, "names and values")
    return said


def _odd(model: Model, name: str, expected: str) -> InputError:
    return InputError(
        f"this file should have {expected}", where=str(model.folder / name), fix="fetch it again"
    )
