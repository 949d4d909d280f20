"""Sentence encoders on sentences with simulated recognition errors."""
