"""How a model is built, by its configuration: its layers, the pieces it has places for."""

from __future__ import annotations

from typing import Any

from misword.core.errors import InputError
from misword.core.requirements import version_of
from misword.embed.neural.models import Model

USUAL = 512  # pieces, of models that do not say
# These count places from after the number of the padding.
SHIFTED = ("camembert", "data2vec-text", "esm", "ibert", "lilt", "longformer", "luke", "mpnet",
           "roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl",
           "xmod")  # fmt: skip


def described(model: Model) -> Any:
    """The configuration as transformers reads it: one name for what each kind calls otherwise."""
    model.config  # noqa: B018 (a folder without one is told so)

    def read() -> Any:
        from transformers import AutoConfig

        try:
            return AutoConfig.from_pretrained(str(model.folder), trust_remote_code=False)
        except Exception as error:  # whatever the files make transformers raise
            raise unloadable(model, error) from error

    return model.keep("described", read)


def depth(model: Model) -> int:
    """How many layers it has (of its encoder, if it has a decoder too)."""
    found = getattr(described(model).get_text_config(), "num_hidden_layers", None)
    if not isinstance(found, int):
        raise InputError(
            "config.json does not say how many layers the model has",
            where=str(model.folder),
            fix="name another model",
        )
    return found


def places(model: Model) -> int | None:
    """The pieces that it has places for; None if it counts only how far two are apart."""
    config = described(model).get_text_config()
    found = getattr(config, "max_position_embeddings", None)
    relative = getattr(config, "position_biased_input", True) is False
    if not isinstance(found, int) or found < 1 or relative:
        return None
    shift = (config.pad_token_id or 0) + 1 if config.model_type in SHIFTED else 0
    return found - shift


def unloadable(model: Model, error: Exception, what: str = "does not load") -> InputError:
    """What transformers, PyTorch or ONNX Runtime say of a model that does not work, in short."""
    reason = (str(error).splitlines() or [type(error).__name__])[0].partition(". ")[0]
    if "ignore_mismatched_sizes" in str(error):
        reason = "its weights have other shapes than config.json says"
    return InputError(
        f"the model {what}: {reason or type(error).__name__}",
        where=str(model.folder),
        fix=f"check the folder, or fetch it again; transformers is {version_of('transformers')}",
    )
