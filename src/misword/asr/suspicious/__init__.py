"""Hypotheses that look made up or stuck: loops, bursts of insertions, wrong languages, ..."""
