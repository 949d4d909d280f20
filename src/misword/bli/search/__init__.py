"""Cosines between two whole vocabularies: tiles of products, CSLS hubness, ranking, induction."""
