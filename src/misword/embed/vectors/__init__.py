"""Word vectors: read from files, cached as memory-mapped entries, looked up by word."""

from __future__ import annotations

from typing import Literal

# How words are looked up: as they are written (exact), in lower case, or first as they are written
# and then in lower case (auto).
Case = Literal["auto", "exact", "lower"]
