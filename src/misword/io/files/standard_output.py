"""Standard output as the target of a file (`-o -`)."""

from __future__ import annotations

import shutil
import sys
from typing import BinaryIO

from misword.core.errors import OptionError
from misword.core.visible import visible_lines


def copy_to_stdout(file: BinaryIO) -> None:
    """Copy a file to standard output, exactly.

    On a terminal control characters are shown as escapes, so that no text can command it.
    """
    if sys.stdout is None:
        raise OptionError("it is closed", where="standard output", fix="name a file: -o FILE")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # an object of another program that takes only text
        raise OptionError("standard output takes no bytes", fix="name a file: -o FILE")
    if sys.stdout.isatty():
        text = file.read().decode("utf-8", "backslashreplace")
        buffer.write(visible_lines(text).encode())
    else:
        shutil.copyfileobj(file, buffer)
    buffer.flush()
