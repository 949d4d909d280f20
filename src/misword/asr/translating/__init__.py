"""Translations of chosen hypotheses: their sources, and their scores for each choice."""
