"""Differences of writing between reference and hypothesis that do not count as errors."""
