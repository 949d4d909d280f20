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

# Edit distance with other costs: cells of the dynamic programming table.
WEIGHTED_ALIGNMENT = 1_000_000
# Lists of substituted tokens: operations of all alignments.
SUBSTITUTIONS = 1_000_000
# Costs of alignments without the operations: cells of the dynamic programming table.
SEQUENCE_DISTANCES = 1_000_000
# Nearest sequences by alignment cost: pairs of sequences. The plain search measures every pair,
# the compiled one visits a prefix tree, hence the low number.
NEAREST_SEQUENCES = 20_000
# Cosines of pairs of words: vector components. numpy is nearly as fast, hence the high number.
PAIR_COSINES = 50_000_000

# Words and characters of texts: bytes.
TOKENIZATION = 4_000_000

# Word vectors scaled to length one: vector components.
UNIT_VECTORS = 5_000_000
# Nearest word vectors: products in one tile. Low, since a search has many tiles of this size.
NEAREST_VECTORS = 1 << 17

# Hubness terms of two vocabularies: cosines between them.
HUBNESS = 1 << 20
# Dictionary induction of VecMap: cosines between two vocabularies.
INDUCTION = 1 << 20
