"""N-best lists with the log-probabilities of language models, and what the models prefer."""
