"""The utterance explorer: search, filters, and each utterance with its aligned words.

`section` is its place on the page, and makes texts of other sections that filter it. `data`
collects what it shows (metadata, labels, N-best lists), `alignments` the aligned words, `passages`
the worst windows of long texts, and `audio` finds audio files. The scripts `streams.js`,
`corpus.js`, `search.js`, `filter.js`, `chips.js`, `list.js`, `alignment.js`, `nbest.js`,
`audio.js`, `utterance.js`, `export.js`, `address.js`, `explorer.js` and `passages.js` read the data
and draw the explorer.
"""
