"""A recogniser's real errors: alignment, counts of each kind of error, smoothing."""
