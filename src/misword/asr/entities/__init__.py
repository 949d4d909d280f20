"""Error rates of entities in the references and of terms in a keyword list."""
