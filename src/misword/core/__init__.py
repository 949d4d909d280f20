"""Types, registry, signature, errors and workers: what every other folder stands on."""
