"""The steps of `misword.evaluate`: ranks of gold pairs, rates, coverage, slices, differences."""
