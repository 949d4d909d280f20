"""Word vectors: opened from files, kept in a memory-mapped store, looked up by word."""
