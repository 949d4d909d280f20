"""How much each error matters: labels and levels of errors, found without a model."""
