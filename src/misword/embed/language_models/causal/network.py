"""Networks of causal language models, run by PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal

import numpy as np

from misword.core.errors import InputError
from misword.core.parts.contract import Requirement
from misword.embed.language_models.causal.files import GgufModel, loading_arguments
from misword.embed.neural.architecture import transformers_config, unloadable
from misword.embed.neural.batches import BATCH, HiddenStates, TokenIds
from misword.embed.neural.models import Model
from misword.embed.neural.networks import TorchNetwork, silent_transformers

Dtype = Literal["float32", "int8"]
INSTALL = "pip install 'misword[causal]'"
# The numbers of a batch, one for each token of it and each token of the vocabulary: 256 MB.
LARGEST_OUTPUT = 1 << 26
# Two log-probabilities of a token are equal if they differ by less.
TOLERANCE = 0.01


@dataclass(frozen=True, eq=False)
class CausalNetwork(TorchNetwork):
    """A model that gives log-probabilities of tokens; `batch` tokens are run at once.

    `vocabulary` is the number of tokens that the network knows, `positions` the greatest number of
    tokens of a text, None if there is no limit.
    """

    batch: int
    vocabulary: int
    positions: int | None

    def check_ids(self, texts: Sequence[str], texts_ids: Sequence[TokenIds]) -> None:
        """Raise if a text has more tokens than the model accepts, or a token that it lacks."""
        for text, ids in zip(texts, texts_ids, strict=True):
            if self.positions is not None and len(ids) > self.positions:
                raise InputError(
                    f"a text has {len(ids):,} tokens, and the model accepts {self.positions:,}",
                    where=f"text {text[:60]!r}",
                    fix="leave its utterance out, or name a model for longer texts",
                )
            if ids.max() >= self.vocabulary:
                raise InputError(
                    f"the tokenizer has a token {ids.max():,}, the network {self.vocabulary:,} "
                    "tokens: they do not fit together",
                    where=f"text {text[:60]!r}",
                    fix="put the files of one model into the folder",
                )

    def run(self, ids: TokenIds, mask: TokenIds) -> HiddenStates:
        """Return the log-probability of each token after those before it.

        It is 0 for the first token of each text, which has no token before it, and for padding.
        """
        import torch

        with torch.inference_mode():
            tokens, kept = (torch.from_numpy(array).to(self.device) for array in (ids, mask))
            # No token sees the padding, which comes after it: all texts have the mask of a text
            # without padding, for which there is a faster way to compute attention.
            whole = torch.ones_like(tokens)
            outputs = self.module(input_ids=tokens, attention_mask=whole, use_cache=False)
            scores = outputs.logits[:, :-1]
            chosen = scores.gather(-1, tokens[:, 1:, None])[..., 0] - scores.logsumexp(-1)
            padded = torch.nn.functional.pad(chosen * kept[:, 1:], (1, 0))
            return np.asarray(padded.float().cpu().numpy())


def load_causal_network(model: Model, dtype: Dtype) -> CausalNetwork:
    """Return the network of a model, loaded once and tried on a short text."""
    return model.load_once(("causal network", dtype), lambda: _load(model, dtype))


def load_causal_tokenizer(model: Model) -> Any:
    """Return the tokenizer of a model, loaded once."""

    def load() -> Any:
        _require(model)
        from transformers import AutoTokenizer

        try:
            return AutoTokenizer.from_pretrained(**loading_arguments(model))
        except Exception as error:  # transformers raises many kinds of errors for invalid files
            raise unloadable(model, error) from error

    return model.load_once("causal tokenizer", load)


def _require(model: Model) -> None:
    """Raise if a package is missing; GGUF files need a package of their own."""
    modules = ("torch", "transformers")
    more = ("accelerate", "gguf") if isinstance(model, GgufModel) else ()
    Requirement((*modules, *more), INSTALL).check(model.name)


def _load(model: Model, dtype: Dtype) -> CausalNetwork:
    _require(model)
    import torch
    import transformers

    library: Any = transformers
    if not isinstance(model, GgufModel):
        _refuse_by_configuration(model)
    source = loading_arguments(model) | {"dtype": torch.float32, "output_loading_info": True}
    try:
        # The bar of GGUF files is shown whatever the settings of transformers are.
        with silent_transformers(), redirect_stderr(StringIO()):
            module, found = library.AutoModelForCausalLM.from_pretrained(**source)
    except Exception as error:  # transformers raises many kinds of errors for invalid files
        raise unloadable(model, error) from error
    if found["missing_keys"]:
        raise not_a_language_model(model, f"it has no weights {sorted(found['missing_keys'])[0]}")
    device = "cuda" if torch.cuda.is_available() and dtype == "float32" else "cpu"
    module = module.eval().to(device)
    config = module.config.get_text_config()
    positions = getattr(config, "max_position_embeddings", None)
    batch = min(BATCH, max(1, LARGEST_OUTPUT // config.vocab_size))
    if dtype == "int8":
        # The scale of the activations is that of a batch: a text alone does not depend on others.
        module, batch = _quantized(module), 1
    network = CausalNetwork(module, device, batch, config.vocab_size, positions)
    _refuse_by_output(network, model)
    return network


def _quantized(module: Any) -> Any:
    """Return a module with the weights of its linear layers in eight bits."""
    import torch
    from torch.ao import quantization

    library: Any = quantization
    per_channel = {torch.nn.Linear: library.per_channel_dynamic_qconfig}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the module of PyTorch is to be moved to another package
        return library.quantize_dynamic(module, per_channel, dtype=torch.qint8)


def _refuse_by_configuration(model: Model) -> None:
    """Raise if the configuration is that of an encoder, or of a model that translates."""
    from transformers.models.auto import modeling_auto as names

    config = transformers_config(model)
    kind = config.model_type
    if config.is_encoder_decoder:
        raise not_a_language_model(model, "it continues one text given another one")
    if kind not in names.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        raise not_a_language_model(model, f"models of the kind {kind!r} do not continue texts")
    masked = kind in names.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if masked and not getattr(config, "is_decoder", False):
        raise not_a_language_model(model, f"{kind!r} is an encoder")


def _refuse_by_output(network: CausalNetwork, model: Model) -> None:
    """Raise if a token has another probability when a later token changes, or no probability."""
    ids = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7]], np.int64) % network.vocabulary
    try:
        first, second = network.run(ids, np.ones_like(ids))[:, 1:-1]
    except Exception as error:  # PyTorch and the code of models raise many kinds of errors
        raise unloadable(model, error, "does not run") from error
    if not np.isfinite(first).all():
        raise not_a_language_model(model, "its probabilities are not finite")
    if np.abs(first - second).max() > TOLERANCE:
        raise not_a_language_model(model, "the probability of a token depends on later tokens")


def not_a_language_model(model: Model, why: str) -> InputError:
    """Return the error for a model that gives a text no probability."""
    return InputError(
        f"not a causal language model: {why}",
        where=str(model.file if isinstance(model, GgufModel) else model.folder),
        fix="name a model that continues texts, such as causal:smollm2 or causal:gpt2",
    )
