"""Errors that a user can act on: what is wrong, where, and what to do about it.

The command line turns every `MiswordError` into one message and exit code 2. Anything else that
escapes is a bug of misword and keeps its traceback.
"""

from __future__ import annotations


class MiswordError(Exception):
    """Base of all errors that the user, not misword, can mend.

    `where` names the file, line or id; `fix` says what to do next.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message}\n  {fix}" if fix else message)


class InputError(MiswordError):
    """The data cannot be read as what it is said to be."""


class OptionError(MiswordError):
    """An option, a part's name or a part's setting does not exist or does not fit."""


class MismatchError(MiswordError):
    """Two things that must agree (utterances, signatures) do not."""


class MissingExtraError(MiswordError):
    """A part needs a package that is not installed."""
