"""Corruption of texts: errors are drawn until a target word error rate is reached, and written."""
