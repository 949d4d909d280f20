"""Statistics of benchmarks: averages over test sets, ranks with ties, changes from run to run."""
