"""Words that matter more than others: entities of the references, and terms of a keyword list."""
