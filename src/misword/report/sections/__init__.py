"""Sections of the page that several kinds of result share."""
