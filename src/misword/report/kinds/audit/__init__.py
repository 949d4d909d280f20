"""Audits of gold lexicons: flags, composition, systems on variants of the lexicon."""
