"""Trained networks: found on disk or on the hub, run in batches on all cores."""
