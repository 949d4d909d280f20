"""N-best lists: the best hypotheses, and ways to choose one hypothesis of each list."""
