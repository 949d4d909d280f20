"""Choosing of one hypothesis from each N-best list."""
