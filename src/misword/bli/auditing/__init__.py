"""The steps of `misword.audit`: resources of the lexicon, leaks, systems, verdicts, the result."""
