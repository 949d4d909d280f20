"""Word vectors: read from files, cached as memory-mapped entries, looked up by word."""
