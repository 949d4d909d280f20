"""Errors that a user can correct: what is wrong, where it is, and what to do about it.

The command line prints a `MiswordError` as one message and exits with code 2. Any other exception
is a bug of misword; the command line prints it as one line and exits with code 70.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from misword.core.visible import shortened, visible


class MiswordError(Exception):
    """Base class of all errors that the user can correct.

    `what` is the problem, `where` is the file, line or id that has it, and `fix` is what the user
    can do. Catch this class to handle every error that misword raises on purpose. In the message,
    control characters are shown as escapes and long values are shortened; the attributes keep them.

    >>> print(MiswordError("no such file", where="ref.txt", fix="check the path"))
    ref.txt: no such file
      check the path
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        place, problem, advice = (shortened(visible(text)) for text in (where, what, fix))
        message = f"{place}: {problem}" if place else problem
        super().__init__(f"{message}\n  {advice}" if advice else message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the three texts, so that an error of another process is the same here."""
        return partial(type(self), where=self.where, fix=self.fix), (self.what,)


class InputError(MiswordError):
    """The data cannot be read in the format that was named or detected."""


class OptionError(MiswordError):
    """An option, the name of a part or a setting of a part does not exist or has a wrong value."""


class MismatchError(MiswordError):
    """Two inputs that must agree do not: their utterances or their signatures differ."""


class KernelError(MiswordError):
    """The library of compiled kernels is missing, cannot be loaded or is of another version."""


class MissingExtraError(MiswordError):
    """A part needs a package or a library that is not installed."""
