"""Corruption of texts: drawing errors until a target word error rate is reached, and writing them."""
