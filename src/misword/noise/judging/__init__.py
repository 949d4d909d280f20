"""The parts of `misword.realism`: how likely real errors are under a channel."""
