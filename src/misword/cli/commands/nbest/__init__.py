"""Commands for N-best lists and for the transcripts of several systems."""
