"""Candidates of CSLS in a better order, with probabilities, by a model learnt from a lexicon."""
