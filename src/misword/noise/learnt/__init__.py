"""A channel learnt from a recogniser's real errors."""
