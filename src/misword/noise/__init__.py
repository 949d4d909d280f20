"""Noise: models of recogniser errors, corruption of texts, robustness of sentence encoders."""
