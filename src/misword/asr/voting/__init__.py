"""Votes of several transcripts of an utterance, word by word."""
