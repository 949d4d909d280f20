"""Corruption of texts: errors are drawn until a target word error rate is reached, and written.

`levels.py` divides the errors of a target word error rate among the blocks of a text
(`text_block.py`). `drawing.py` chooses words in a block, draws new words (`sampler.py`) and writes
them into the bytes of the block. `targets.py` has the target and the realised word error rates,
`result.py` the noisy texts and the table of their errors.
"""
