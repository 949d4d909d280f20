"""Parts of another package, registered through faked entry points."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from misword.core.parts import registry


def register(patch: pytest.MonkeyPatch, kind: str, parts: dict[str, type]) -> None:
    """Register classes by name in the group `misword.<kind>`, as an installed package does."""
    module = ModuleType("a_plugin")
    vars(module).update({part.__name__: part for part in parts.values()})
    patch.setitem(sys.modules, module.__name__, module)
    added = {
        name: registry.Entry(f"{module.__name__}:{part.__name__}") for name, part in parts.items()
    }
    installed = registry.plugins

    def with_added(group: str) -> dict[str, registry.Entry]:
        found = installed(group)
        return {**found, **added} if group == f"misword.{kind}" else found

    patch.setattr(registry, "plugins", with_added)
