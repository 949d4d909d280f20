"""Meaning as numbers: vectors of words, of sentences, and of words in their context."""

from misword.embed.words import Case, WordVectors

__all__ = ["Case", "WordVectors"]
