"""Build hook of hatchling: compiles the C kernels when a wheel or an editable install is made."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig
from packaging.tags import platform_tags

sys.path.insert(0, str(Path(__file__).parent / "tools"))
import build_native

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
