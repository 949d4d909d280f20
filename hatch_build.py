"""Build hook of hatchling: compiles the C kernels when a wheel or an editable install is made."""

from __future__ import annotations

import importlib.util
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


def _tool() -> ModuleType:
    """Return `tools/build_native.py` as a module; it is not part of the package."""
    path = ROOT / "tools" / "build_native.py"
    spec = importlib.util.spec_from_file_location("build_native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class NativeKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels with the machine's compiler, or with the package `ziglang`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the build needs to be installed: a compiler, if the machine has none."""
        if self.target_name != "wheel" or _tool().local_compiler():
            return []
        return ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into the source folder for an editable install, else into the wheel."""
        if self.target_name != "wheel":
            return
        tool = _tool()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        if version == "editable":
            tool.build(tool.SOURCE)
            return
        self._folder = tempfile.TemporaryDirectory()
        for path in tool.build(Path(self._folder.name)):
            build_data["force_include"][str(path)] = f"misword/native/{path.name}"
