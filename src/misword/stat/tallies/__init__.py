"""Tallies: sums of statistics over utterances, and the rates and tests that need no more."""
