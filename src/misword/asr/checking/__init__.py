"""The function `check`, what all checks share (texts, findings), and notes of other commands."""
