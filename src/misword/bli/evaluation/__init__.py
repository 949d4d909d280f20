"""The parts of `misword.evaluate`: ranks of gold pairs, rates, coverage, slices, differences."""
