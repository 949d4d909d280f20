"""The utterance explorer: search, filters, and each utterance with its aligned words.

`section` is its place on the page, `data` collects what it shows, `alignments`, `lists`, `metadata`
and `labels` make the larger parts of that data, `audio` and `audio_folder` find audio files, and
`packing` makes arrays small. `links` makes texts of other sections that filter the explorer. The
scripts `corpus.js`, `search.js`, `filter.js`, `chips.js`, `list.js`, `alignment.js`, `nbest.js`,
`audio.js`, `utterance.js`, `export.js`, `address.js` and `explorer.js` read the data and draw the
explorer.
"""
