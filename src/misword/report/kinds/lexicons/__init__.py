"""Mappings evaluated on a gold lexicon: hit rate, precision, recall, coverage."""
