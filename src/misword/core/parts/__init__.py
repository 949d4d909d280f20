"""What registered parts have in common: their contract, registries, requirements, bibliography."""
