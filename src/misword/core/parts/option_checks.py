"""Checks of numbers that are options of a part, with one wording for all parts."""

from __future__ import annotations

from misword.core.errors import OptionError


def check_at_least(part: object, **least: int) -> None:
    """Raise an error if an option of a part is below its least value.

    >>> from types import SimpleNamespace
    >>> check_at_least(SimpleNamespace(neighbors=0), neighbors=1)
    Traceback (most recent call last):
    misword.core.errors.OptionError: neighbors is 0
      use 1 or more
    """
    for name, low in least.items():
        if getattr(part, name) < low:
            raise OptionError(f"{name} is {getattr(part, name)}", fix=f"use {low} or more")


def check_between(part: object, **bounds: tuple[float, float]) -> None:
    """Raise an error if an option of a part is not within its bounds.

    The bounds themselves are allowed; nan is not.
    """
    for name, (low, high) in bounds.items():
        if not low <= getattr(part, name) <= high:
            raise OptionError(
                f"{name} is {getattr(part, name)}", fix=f"use a number from {low} to {high}"
            )
