"""Laws for every part of every registry."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import pytest

import misword
from misword.cli.commands.files.parts import REGISTRIES, registry
from misword.core.errors import MissingExtraError
from misword.core.parts import Part, describe
from misword.core.parts.registry import Registry

PARTS = [(kind, name) for kind in REGISTRIES for name in registry(kind).names()]


def load(kind: str, name: str) -> type[Part]:
    """The class of a part; the test is skipped where a package is missing."""
    try:
        return registry(kind).load(name)
    except MissingExtraError as error:
        pytest.skip(f"{kind} {name}: {error}")


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_a_part_is_described_by_its_own_class(kind: str, name: str) -> None:
    part = load(kind, name)
    assert issubclass(part, Part)
    assert part.name == name
    assert (part.__doc__ or "").strip().partition("\n")[0]


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_a_part_has_a_title_and_known_citations(kind: str, name: str) -> None:
    """A part can be created without options: every option has a default."""
    described = describe(load(kind, name)())
    assert described["title"]
    assert all(entry.startswith("@") for entry in described["cites"])


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_needs_and_uses_are_fields_of_the_context(kind: str, name: str) -> None:
    part = load(kind, name)()
    assert {*part.needs, *part.uses} <= {"lang", "vectors", "cache", "workers"}
    assert set(part.needs) <= {"lang", "vectors"}


def test_every_registry_is_listed() -> None:
    """All except the registry of report kinds, which no option names."""
    listed = {id(registry(kind)) for kind in REGISTRIES}
    assert [registry(kind).kind for kind in REGISTRIES] == list(REGISTRIES)
    modules: list[Any] = [
        import_module(module.name)
        for module in pkgutil.walk_packages(misword.__path__, "misword.")
        if not module.name.endswith("__main__")
        and not module.name.startswith("misword.native._")  # libraries of kernels
    ]
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Registry) and value.kind != "report_kinds":
                assert id(value) in listed, f"{module.__name__}: {value.kind}"
