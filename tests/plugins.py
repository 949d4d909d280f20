"""Parts of another package, registered through faked entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

import pytest

from misword.core.parts import registry


def register(patch: pytest.MonkeyPatch, kind: str, parts: dict[str, type]) -> None:
    """Register classes by name in the group `misword.<kind>`, as an installed package does."""
    module = ModuleType("a_plugin")
    vars(module).update({part.__name__: part for part in parts.values()})
    patch.setitem(sys.modules, module.__name__, module)
    group = f"misword.{kind}"
    added = [
        EntryPoint(name, f"{module.__name__}:{part.__name__}", group)
        for name, part in parts.items()
    ]
    installed: Callable[..., Any] = entry_points

    def with_plugins(**selected: str) -> list[EntryPoint]:
        found = list(installed(**selected))
        return [*found, *added] if selected.get("group") == group else found

    patch.setattr(registry, "entry_points", with_plugins)
