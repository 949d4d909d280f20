"""The tables of `misword.compare`: systems side by side, differences, slices, contrasts."""
