"""Neural language models that give each token a probability after the tokens before it."""
