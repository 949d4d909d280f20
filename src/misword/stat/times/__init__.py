"""Times: of words and segments, latencies of streams, and the time that speakers speak."""
