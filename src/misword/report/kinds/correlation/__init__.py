"""Correlations between metrics, and of metrics with downstream scores."""
