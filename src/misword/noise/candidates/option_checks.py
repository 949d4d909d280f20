"""Checks of the options that several channels have: numbers of candidates, sizes, distances."""

from __future__ import annotations

from misword.core.errors import OptionError


def check_numbers(**options: float) -> None:
    """Raise an error if an option is below 1; `most` may be 0, which means all candidates."""
    for name, value in options.items():
        if not value >= (name != "most"):
            raise OptionError(f"{name} is {value:g}", fix="use a number from 1 on")
