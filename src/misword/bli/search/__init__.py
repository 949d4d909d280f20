"""Products of two whole vocabularies: tiles, hubness and ranking."""
