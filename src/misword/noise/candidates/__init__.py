"""Candidate words for substitutions: word lists, phonological distances, probabilities, tables.

A channel takes a word list (`wordlists.py`), finds the nearest words of each word by sound
(`phonology.py`) or also by meaning, turns distances into probabilities (`probabilities.py`), and
puts both into a `CandidateTable` (`table.py`).
"""
