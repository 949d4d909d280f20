"""Hooks of hatchling: compile the C kernels for a wheel, and make links of README.md absolute."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import platform_tags

sys.path.insert(0, str(Path(__file__).parent / "tools"))
import build_native

# The address of the repository, such as https://github.com/owner/misword. In a workflow of GitHub,
# it is known without this variable.
REPOSITORY = "MISWORD_REPOSITORY"
# A link or an image of README.md, or the target of a named link, that is a path in the repository.
PATHS = re.compile(r'(\]\(|^\[[^]]+\]: |src="|srcset=")(?!https?:|#)([^)\s"]+)', re.MULTILINE)
# The platform tag of a wheel for another machine: a key of `build_native.WHEELS`.
VARIABLE = "MISWORD_WHEEL"


class NativeKernels(BuildHookInterface[WheelBuilderConfig]):
    """Compiles the kernels with the machine's compiler, or with the package `ziglang`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the build needs to be installed: a compiler, if the machine has none."""
        if self.target_name != "wheel":
            return []
        needs_zig = VARIABLE in os.environ or not build_native.local_compiler()
        return ["ziglang>=0.13"] if needs_zig else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into the source folder for an editable install, else into the wheel."""
        if self.target_name == "wheel":
            try:
                self._compile(version, build_data)
            except RuntimeError as error:
                self.app.abort(str(error))

    def _compile(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            build_native.build(build_native.SOURCE)
            return
        wanted = os.environ.get(VARIABLE)
        self._folder = tempfile.TemporaryDirectory()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wanted or this_platform()}"
        target = build_native.WHEELS[wanted] if wanted else None
        for path in build_native.build(Path(self._folder.name), target=target):
            build_data["force_include"][str(path)] = f"misword/native/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the compiled libraries, which are in the wheel now."""
        if self.target_name == "wheel" and version != "editable":
            self._folder.cleanup()


def this_platform() -> str:
    """Return the platform tag of this machine; it promises no other machine."""
    many = ("manylinux", "musllinux")
    return next(tag for tag in platform_tags() if not tag.startswith(many))


class IndexPage(MetadataHookInterface):
    """The description and the links of the page on a package index.

    The index shows README.md without the repository: paths in it are links that lead nowhere. If
    the address of the repository is known, they become addresses of this version's files.
    """

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme`, and `urls` if the address of the repository is known."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        address = repository()
        if address:
            text = with_addresses(text, address, version_tag(Path(self.root)))
            metadata["urls"] = project_urls(address)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def repository() -> str:
    """Return the address of the repository; empty if it is not known."""
    server, name = (os.environ.get(f"GITHUB_{part}", "") for part in ("SERVER_URL", "REPOSITORY"))
    known = f"{server}/{name}" if server and name else ""
    return os.environ.get(REPOSITORY, known).rstrip("/")


def version_tag(root: Path) -> str:
    """Return the tag of this version, such as `v0.6.0`."""
    source = (root / "src" / "misword" / "core" / "version.py").read_text("utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', source, re.MULTILINE)
    if found is None:
        raise RuntimeError("version.py has no __version__")
    return f"v{found[1]}"


def with_addresses(text: str, address: str, tag: str) -> str:
    """Return a page whose paths are addresses of files of the repository.

    >>> with_addresses("[a](docs/a.md#b) ![c](d.png) [e](#f)", "https://x.org/o/r", "v1")
    '[a](https://x.org/o/r/blob/v1/docs/a.md#b) ![c](https://x.org/o/r/raw/v1/d.png) [e](#f)'
    """

    def absolute(found: re.Match[str]) -> str:
        kind = "raw" if found[2].endswith((".png", ".svg")) else "blob"
        return f"{found[1]}{address}/{kind}/{tag}/{found[2]}"

    return PATHS.sub(absolute, text)


def project_urls(address: str) -> dict[str, str]:
    """Return the links beside the description."""
    return {
        "Documentation": f"{address}/blob/main/docs/README.md",
        "Source": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
    }
