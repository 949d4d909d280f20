"""Shifted lines: lines of one file that belong to lines of another number in the other file."""
