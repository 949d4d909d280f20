"""Any bytes, and any text of the signs of a format: readers return or raise a `MiswordError`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.mutation import HARD_WORDS, TOKENS
from fuzz.readers import READERS
from misword.core.errors import MiswordError
from misword.io.transcripts.formats import FORMATS

# Pieces of the formats themselves, from which texts are put together.
PIECES = [
    *TOKENS,
    *(word.encode() for word in HARD_WORDS if len(word) < 50),
    *(
        b"utt,text\n",
        b"utt\ttext\n",
        b'{"text": "a"}\n',
        b"WEBVTT\n\n",
        b"a (b)\n",
        b"call 1 s 0 1 ",
    ),
    *(b"00:00:01,000 --> 00:00:02,000\n", b"token|speaker\n", b"<ALT_BEGIN>", b"A => B / C __ D\n"),
    *(b"3 2\n", b"cat 1 2\n", b"the\tle\n", b"reference\thypA\tnbrA\thypB\tnbrB\n", b"[fr]\n"),
]
CONTENT = st.binary(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)
# Parquet files are read in a process of their own, which takes long.
TRANSCRIPTS = [name for name in FORMATS.names() if name != "parquet"]
# The name of a case, the reader, and the further arguments of its call.
CALLS: dict[str, tuple[str, ...]] = {
    **{name: ("read_transcript", "hypothesis", name) for name in TRANSCRIPTS},
    "detected": ("read_transcript", "reference", ""),
    "vectors": ("read_vectors", "word2vec"),
    "vectors of fastText": ("read_vectors", "fasttext"),
    "lexicon": ("read_lexicon",),
    "sentence pairs": ("read_sts",),
    "triplets": ("read_triplets",),
    "rules": ("read_rules",),
    "glm": ("read_glm",),
    "equivalents": ("read_equivalents",),
    "keywords": ("read_keywords",),
    "mapping": ("read_mapping",),
    "noise": ("read_noise",),
    "error model": ("read_error_model",),
}


@pytest.mark.parametrize("name", CALLS)
@given(content=CONTENT)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_readers_fail_with_messages_only(name: str, content: bytes) -> None:
    reader, *more = CALLS[name]
    with TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(content)
        with suppress(MiswordError):
            READERS[reader](str(path), *more)
