"""The steps of `misword.robust`: noisy sentences in trials, their similarities, tables."""
