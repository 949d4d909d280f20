"""Shards: the files of a corpus that is too large for one file, read in constant memory."""
