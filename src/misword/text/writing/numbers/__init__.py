"""Numbers in words and in digits: the family `numbers` and the grammar it reads numbers with."""
