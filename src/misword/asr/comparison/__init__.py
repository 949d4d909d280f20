"""The tables of `misword.compare`: systems beside each other, differences, slices, contrasts."""
