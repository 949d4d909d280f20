"""Functions from text to text as normalizers, for use in Python."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from types import CodeType
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings
from misword.text.normalizers import Normalizer

# Values of these types are part of a digest: their text is the same in each run.
PLAIN = (str, bytes, int, float, bool, tuple, frozenset, type(None))


@dataclass(frozen=True, slots=True)
class FunctionNormalizer(Normalizer):
    """A function from text to text; it is called once for each distinct text.

    `identity` is what the signature has of the function: `name=...` if the user named it, else
    `source=...` or `code=...`, a digest of its source or of its compiled code.
    """

    name: ClassVar[str] = "function"

    function: Callable[[str], str]
    identity: tuple[str, str]

    def settings(self, context: Context) -> Settings:
        """The name or the digest of the function."""
        return (self.identity,)

    def apply_row(self, text: str) -> str:
        """Return what the function returns."""
        changed = self.function(text)
        if not isinstance(changed, str):
            raise OptionError(
                f"the function {_title(self.function)} returned {type(changed).__name__}, not text",
                fix="return a string for every text",
            )
        return changed


def normalizer(function: Callable[[str], str], name: str = "") -> FunctionNormalizer:
    """Make a normalizer of a function, with a name for the signature.

    Without a name, the signature has a digest of the function's source, and of the values of the
    variables that it takes from the function around it and of its default arguments. If the source
    cannot be found, as in an interactive session, the digest is that of its compiled code, which
    differs between versions of Python.

    Known problems: a digest does not contain the functions and global variables that the function
    uses, nor the attributes of an object. If these can change, give a name with a version.

    >>> import misword
    >>> shout = misword.normalizer(lambda text: text.upper(), name="shout-1")
    >>> misword.score(["a b"], ["A B"], "wer", normalize=["nfc", shout]).summary()["rate"].item()
    0.0
    """
    if not callable(function):
        raise OptionError(f"{function!r} cannot be called", fix="give a function from text to text")
    return FunctionNormalizer(function, ("name", _checked(name)) if name else _identity(function))


def _checked(name: str) -> str:
    """Return a name for a signature; raise if it has a character that signatures use."""
    if set(name) & set("|:,[]+=") or name.split() != [name]:
        raise OptionError(f"{name!r} cannot be in a signature", fix="use letters, digits, - and .")
    return name


def _identity(function: Any) -> tuple[str, str]:
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
            f"the code of {_title(function)} cannot be found, so its signature would not name it",
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
    if isinstance(value, list):
        return repr([_shown(item) for item in value])
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


def _title(function: object) -> str:
    return repr(getattr(function, "__qualname__", type(function).__qualname__))
