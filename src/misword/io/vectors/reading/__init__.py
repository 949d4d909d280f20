"""Helpers of the readers of vector files: contents, collector, binary cursor, lines of numbers."""
