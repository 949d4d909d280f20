"""How likely real errors are under a channel: what `misword realism` is made of."""
