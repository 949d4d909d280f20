"""Which words a file of vectors has, beyond those that were read, without parsing a number."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from misword.core.progress import progress
from misword.io.files.sources import PathLike
from misword.io.vectors import find_format
from misword.io.vectors.streams import Stream
from misword.io.vectors.text import BOM, Glove, Word2vec


def listed_words(path: PathLike, words: Iterable[str]) -> set[str] | None:
    """Those of the words that begin a line of the file; None where the file is no text.

    The file is read from front to back, as fast as the disk gives it, until all are found.
    """
    wanted = {word.encode("utf-8", "surrogatepass") for word in words}
    found: set[bytes] = set()
    size = Path(path).stat().st_size
    with (
        progress(f"looking into {Path(path).name}", size) as step,
        Stream(Path(path), str(path), step) as stream,
    ):
        if not isinstance(find_format(stream, None), Word2vec | Glove):
            return None
        rest = b""
        while wanted and (data := stream.read()):
            *lines, rest = (rest + data).removeprefix(BOM).split(b"\n")
            hits = wanted.intersection(line.partition(b" ")[0] for line in lines)
            found |= hits
            wanted -= hits
        found |= wanted & {rest.partition(b" ")[0]}
    return {word.decode("utf-8", "surrogatepass") for word in found}
