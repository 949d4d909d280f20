"""Candidate words for substitutions: word lists, phonological distances, probabilities, tables."""
