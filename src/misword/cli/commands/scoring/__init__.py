"""Commands that score transcripts and compare systems."""
