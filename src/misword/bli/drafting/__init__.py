"""Drafts of dictionaries: headwords, senses, examples and phrases."""
