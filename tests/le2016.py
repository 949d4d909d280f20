"""The running example of Le et al. 2016, whose tables several tests check."""

from __future__ import annotations

REF = "un ordre westphalien d' engagements parmi des nations souveraines"
HYP = "un nord westphalie un d' engagement parmi de nation souveraine"
# Distances of each reference word (rows) to each hypothesis word (columns).
DISTANCES = """
un          0 - - 0 - - - - - -
ordre       - 1.01 1.07 .93 1.15 .89 1.07 1.03 1.05 1.01
westphalien - .79 .72 .76 1.0 1.23 .91 .83 .72 .80
d'          - 1.05 1.18 .48 0 - - - - -
engagements - .94 .97 1.18 1.2 .47 1.18 1.08 1.09 .98
parmi       - .77 .86 1.11 1.0 1.2 0 - - -
des         - 1.04 1.08 1.0 .48 1.09 - .34 1.19 .82
nations     - .87 .79 .92 1.05 .94 - .96 .78 .94
souveraines - .92 .84 1.16 .94 .97 - .85 .84 .43
"""
