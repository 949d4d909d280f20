"""The version of misword."""

__version__ = "0.5.0"
