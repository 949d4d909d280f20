"""Formatted text: punctuation marks and capitals beside the words that they belong to."""
