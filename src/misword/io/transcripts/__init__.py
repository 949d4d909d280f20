"""Transcript files: formats, their detection, pairing of both sides, metadata, rewriting."""
