"""Text to tokens: columns of text, normalizers, words and characters."""
