"""The version of misword."""

__version__ = "0.6.0"
