"""Meaning as numbers: vectors of words, of sentences, and of words in their context."""
