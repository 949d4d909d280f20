"""Numbers on the command line, within limits that keep a mistyped one from filling the memory."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import isfinite

# Counts, such as words to read or rows to print. No input has more.
MOST = 2**31 - 1
MOST_RESAMPLES = 100_000
MOST_TRIALS = 10_000
MOST_WORKERS = 1_024
LARGEST_SEED = 2**63 - 1


def whole(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return a function for argparse that reads a whole number from `least` to `most`."""

    def read(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is below {least}")
        if number > most:
            raise argparse.ArgumentTypeError(f"{number} is too large: use at most {most:,}")
        return number

    read.__name__ = "whole number"
    return read


resamples = whole(0, MOST_RESAMPLES)
trials = whole(1, MOST_TRIALS)
workers = whole(1, MOST_WORKERS)
seed = whole(0, LARGEST_SEED)


def share(text: str) -> float:
    """Read a number between 0 and 1, for argparse."""
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no share such as 0.95")
    return number


def finite(text: str) -> float:
    """Read a finite number, for argparse."""
    number = float(text)
    if not isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is not finite")
    return number


def numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers from 1 on, separated by commas, for argparse."""
    found = tuple(dict.fromkeys(int(number) for number in text.split(",")))
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no list of numbers from 1 on, such as 1,5,10")
    return found
