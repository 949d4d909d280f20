"""Character n-grams in a stored folder of vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from fasttext_file import fasttext_bin
from misword.cli.main import main
from misword.embed.vectors.stored_entry import INDEX
from misword.embed.vectors.words import WordVectors


def test_a_name_that_this_version_does_not_know_is_left_out(tmp_path: Path) -> None:
    file, folder = tmp_path / "v.bin", tmp_path / "stored"
    matrix = np.arange(36, dtype=np.float32).reshape(12, 3)
    file.write_bytes(fasttext_bin([b"the", b"cat"], matrix, grams=(3, 5, 10)))
    main(["vectors", "convert", str(file), "--out", str(folder), "--quiet"])
    index = json.loads((folder / INDEX).read_text("utf-8"))
    del index["checksum"]  # a file of an older version
    index["pieces"]["format"] = "later"
    (folder / INDEX).write_text(json.dumps(index), "utf-8")
    stored, read = WordVectors.open(folder), WordVectors.open(file)
    np.testing.assert_array_equal(stored["unseen"], read["unseen"])
