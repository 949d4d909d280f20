"""The option `--max-bytes`: the most bytes that an input may have."""

from __future__ import annotations

import argparse

from misword.core.errors import OptionError
from misword.io.files.limits import parse_size


def add_max_bytes(parser: argparse.ArgumentParser) -> None:
    """Declare the option for the size of inputs."""
    parser.add_argument(
        "--max-bytes",
        type=_size,
        metavar="SIZE",
        # Without a default, so that the parser of a sub-command does not undo it.
        default=argparse.SUPPRESS,
        help="the most bytes of an input after decompression, such as 500M or 4G (default: 1G for "
        "files that are read into memory, and 200 times the size of compressed files)",
    )


def _size(text: str) -> int:
    """Read a number of bytes, for argparse."""
    try:
        return parse_size(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(f"{error.what}: {error.fix}") from None
