"""Differences between systems, tested against the first of them."""
