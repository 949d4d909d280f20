"""Embeddings: word vectors, sentence vectors, and contextual token vectors."""
