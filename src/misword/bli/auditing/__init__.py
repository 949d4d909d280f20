"""The steps of `misword.audit`: the lexicon with its resources, composition, leaks, cleaning."""
