"""What a signature has of a function that the user wrote: a name, or a digest of its code."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from types import CodeType
from typing import Any

from misword.core.errors import OptionError

# Values of these types are part of a digest: their text is the same in each run.
PLAIN = (str, bytes, int, float, bool, type(None))


def checked_name(name: str) -> str:
    """Return a name for a signature; raise if it has a character that signatures use."""
    if set(name) & set("|:,[]+=") or name.split() != [name]:
        raise OptionError(f"{name!r} cannot be in a signature", fix="use letters, digits, - and .")
    return name


def identity_of(function: Any) -> tuple[str, str]:
    """Return the kind and the digest of what a function does, as far as it can be known."""
    held = list(_held_values(function))
    inner = function.func if isinstance(function, partial) else function
    inner = inspect.unwrap(getattr(inner, "__func__", inner))
    if inspect.isbuiltin(inner) or inspect.ismethoddescriptor(inner):
        return "name", f"{getattr(inner, '__module__', None) or 'builtins'}.{inner.__qualname__}"
    written = inner if inspect.isroutine(inner) or isinstance(inner, type) else type(inner)
    try:
        source = textwrap.dedent(inspect.getsource(written))
        return "source", _digest([source, *held])
    except (OSError, TypeError):
        code = getattr(written, "__code__", None) or getattr(written.__call__, "__code__", None)
    if code is None:
        raise OptionError(
            f"the code of {title_of(function)} cannot be found, so its signature would not name it",
            fix="name it: misword.normalizer(function, name='my-rules-1')",
        )
    return "code", _digest([*_code_texts(code), *held])


def _held_values(function: Any) -> Iterator[str]:
    """Yield the values that a function holds: arguments of a partial, defaults, closure."""
    if isinstance(function, partial):
        yield from map(_shown, (*function.args, *sorted(function.keywords.items())))
        function = function.func
    defaults = getattr(function, "__defaults__", None) or ()
    yield from map(_shown, (*defaults, *(getattr(function, "__kwdefaults__", None) or {}).items()))
    for cell in getattr(function, "__closure__", None) or ():
        yield _shown(cell.cell_contents)


def _shown(value: object) -> str:
    """Return the text of a plain value; of other values only the type, which has no address."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, dict):
        return repr([(_shown(key), _shown(item)) for key, item in value.items()])
    if isinstance(value, list | tuple):
        return repr([_shown(item) for item in value])
    if isinstance(value, set | frozenset):
        return repr(sorted(map(_shown, value)))
    return type(value).__qualname__


def _code_texts(code: CodeType) -> Iterator[str]:
    """Yield the instructions, names and constants of compiled code, inner functions included."""
    yield code.co_code.hex()
    yield repr(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_texts(constant)
        else:
            yield _shown(constant)


def _digest(texts: list[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:12]


def title_of(function: object) -> str:
    """Return the name of a function as it is shown in an error."""
    return repr(getattr(function, "__qualname__", type(function).__qualname__))
