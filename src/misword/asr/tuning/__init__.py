"""Tuning of the weights by which one hypothesis of each N-best list is chosen."""
