"""Minimum Bayes risk: posteriors of N-best lists, expected costs, and the choice of the scale."""
