"""Meaning as numbers: word vectors, their neighbours."""

from misword.embed.words import Case, WordVectors

__all__ = ["Case", "WordVectors"]
