"""Pages of results that choose hypotheses: N-best lists, tuned weights, tuned systems."""
