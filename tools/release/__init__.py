"""Checks of a release: versions, licences, and what the wheel does in a clean environment."""
