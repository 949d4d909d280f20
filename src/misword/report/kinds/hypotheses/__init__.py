"""How tuned weights, and the choice of one of several systems, are shown."""
