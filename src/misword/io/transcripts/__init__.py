"""Transcript files to and from a `Corpus`."""
