"""The version, in one place: it signs every number."""

__version__ = "0.5.0"
