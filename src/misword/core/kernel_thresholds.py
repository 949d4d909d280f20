"""Input sizes from which functions use their compiled implementation (numba).

Most kernels exist twice: in plain Python and numpy, and compiled. Both give the same result.
Loading numba and a compiled function from numba's cache takes some tenths of a second, so a small
input is faster without it. Each constant is the size at which the plain implementation takes about
as long as loading the compiled one. The unit differs from kernel to kernel; the comment above each
constant names it.

Functions read these constants as attributes of this module, so that tests can set all of them at
once and run the same cases with either implementation.
"""

from __future__ import annotations

# Words and characters of texts: bytes.
TOKENIZATION = 4_000_000

# Nearest word vectors: products in one tile. Low, since a search has many tiles of this size.
NEAREST_VECTORS = 1 << 17

# Hubness terms of two vocabularies: cosines between them.
HUBNESS = 1 << 20
# Dictionary induction of VecMap: cosines between two vocabularies.
INDUCTION = 1 << 20
