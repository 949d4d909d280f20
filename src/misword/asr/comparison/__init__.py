"""Comparisons of systems and of metrics: `compare`, `gate`, `correlate` and their tables."""
