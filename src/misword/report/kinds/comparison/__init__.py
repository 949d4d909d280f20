"""The page of a comparison: differences between systems, tested against the first of them."""
