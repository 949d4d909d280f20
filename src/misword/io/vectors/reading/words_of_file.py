"""Search for words in a text file of vectors, without parsing its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from misword.core.progress import progress
from misword.io.files.sources import PathLike
from misword.io.files.streams import BOM, Stream
from misword.io.vectors import find_vector_format


def listed_words(path: PathLike, words: Iterable[str]) -> set[str] | None:
    """Return those of the words that begin a line of the file; None if it is not a text file.

    The file is read from its beginning until all words are found. Words beyond the limit
    `max_words` of the vectors in memory are found as well.
    """
    missing = {word.encode("utf-8", "surrogatepass") for word in words}
    present: set[bytes] = set()
    size = Path(path).stat().st_size
    with (
        progress(f"looking into {Path(path).name}", size) as step,
        Stream(Path(path), str(path), step) as stream,
    ):
        if not find_vector_format(stream).is_text:
            return None
        rest = b""
        while missing and (data := stream.read()):
            *lines, rest = (rest + data).removeprefix(BOM).split(b"\n")
            hits = missing.intersection(line.partition(b" ")[0] for line in lines)
            present |= hits
            missing -= hits
        present |= missing & {rest.partition(b" ")[0]}
    return {word.decode("utf-8", "surrogatepass") for word in present}
