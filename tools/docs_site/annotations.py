"""Types in signatures: each leads to the class that it names.

misword imports many types below `if TYPE_CHECKING`, which autodoc cannot resolve. Unresolved, the
`Mapping` of `collections.abc` would lead to the class `misword.Mapping`.
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import is_dataclass
from functools import cache
from typing import Any

from docutils.nodes import Element, TextElement
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from misword import _MODULES


def add_imports_for_types(app: Sphinx, obj: Any, bound_method: bool) -> None:
    """Import what the module of an object imports for type checkers."""
    name = getattr(obj, "__module__", None) or ""
    if name.startswith("misword."):
        _complete(name)


@cache
def _complete(name: str) -> None:
    """Run the imports below `if TYPE_CHECKING` of a module, once."""
    module = sys.modules[name]
    for statement in ast.parse(inspect.getsource(module)).body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            code = compile(ast.Module(statement.body, []), name, "exec")
            exec(code, module.__dict__)


def hide_fields(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Leave out the arguments of a data class: results are not made by the user."""
    return ("", "") if what == "class" and is_dataclass(obj) else None


def public_reference(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: TextElement
) -> Element | None:
    """Resolve `misword.bli.mapping.Mapping` as `misword.Mapping`, under which it is documented."""
    module, _, name = str(node.get("reftarget", "")).rpartition(".")
    if _MODULES.get(name) != module:
        return None
    found: Element | None = env.domains.python_domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", f"misword.{name}", node, content
    )
    return found
