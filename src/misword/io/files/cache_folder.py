"""The folder in which misword caches word vectors, sentence vectors and other computed data."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return `MISWORD_CACHE` if it is set, otherwise the system's usual cache folder."""
    if folder := os.environ.get("MISWORD_CACHE"):
        return Path(folder).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "misword"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "misword" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "misword"
