"""The parts of `misword.robust`: trials, similarities, tables."""
