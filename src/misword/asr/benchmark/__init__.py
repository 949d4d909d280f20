"""Many test sets and many systems: the matrix of their rates, ranks, costs and history."""
