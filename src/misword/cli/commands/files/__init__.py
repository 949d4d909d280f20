"""Commands for data and for files that misword wrote."""
