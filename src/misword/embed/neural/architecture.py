"""The number of layers and of positions of a model, from its configuration."""

from __future__ import annotations

from typing import Any

from misword.core.errors import InputError
from misword.core.parts.installed import version_of
from misword.embed.neural.models import Model

DEFAULT_POSITIONS = 512  # of models that do not state a number
# Models whose first position has the number of the padding token plus one.
SHIFTED = ("camembert", "data2vec-text", "esm", "ibert", "lilt", "longformer", "luke", "mpnet",
           "roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl",
           "xmod")  # fmt: skip


def transformers_config(model: Model) -> Any:
    """Return the configuration object of transformers, whose names are the same for all models."""
    model.config  # noqa: B018 (raises a clear error for a folder without a configuration)

    def read() -> Any:
        from transformers import AutoConfig

        try:
            return AutoConfig.from_pretrained(str(model.folder), trust_remote_code=False)
        except Exception as error:  # transformers raises many kinds of errors for invalid files
            raise unloadable(model, error) from error

    return model.load_once("config", read)


def layer_count(model: Model) -> int:
    """Return the number of layers (of the encoder, if the model has a decoder too)."""
    layers = getattr(transformers_config(model).get_text_config(), "num_hidden_layers", None)
    if not isinstance(layers, int):
        raise InputError(
            "config.json does not say how many layers the model has",
            where=str(model.folder),
            fix="name another model",
        )
    return layers


def position_count(model: Model) -> int | None:
    """Return the greatest number of tokens; None if positions are relative and without a limit."""
    config = transformers_config(model).get_text_config()
    positions = getattr(config, "max_position_embeddings", None)
    relative = getattr(config, "position_biased_input", True) is False
    if not isinstance(positions, int) or positions < 1 or relative:
        return None
    shift = (config.pad_token_id or 0) + 1 if config.model_type in SHIFTED else 0
    return positions - shift


def unloadable(model: Model, error: Exception, what: str = "does not load") -> InputError:
    """Return a short error for an error of transformers, PyTorch or ONNX Runtime on a model."""
    reason = (str(error).splitlines() or [type(error).__name__])[0].partition(". ")[0]
    if "ignore_mismatched_sizes" in str(error):
        reason = "its weights have other shapes than config.json says"
    return InputError(
        f"the model {what}: {reason or type(error).__name__}",
        where=str(model.folder),
        fix=f"check the folder, or fetch it again; transformers is {version_of('transformers')}",
    )
