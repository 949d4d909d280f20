"""Digests of training pairs: in memory, in the file of a mapping, and for both directions."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.bli.map import map_vectors
from misword.bli.mapping import Mapping
from misword.bli.open_mapping import OpenMapping
from misword.bli.seeds import TrainingPairs
from misword.core.errors import InputError
from misword.embed.vectors.words import WordVectors
from misword.io.files.archives import read_archive, write_archive
from spaces_made import turned, write_vectors

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\t"), min_size=1, max_size=5)


@given(st.lists(st.tuples(WORDS, WORDS)), st.tuples(WORDS, WORDS))
def test_as_a_set_of_pairs(pairs: list[tuple[str, str]], other: tuple[str, str]) -> None:
    trained = TrainingPairs.of(pairs)
    lower = {(a.lower(), b.lower()) for a, b in pairs}
    assert len(trained) == len(lower)
    source, target = [*(a for a, _ in pairs), other[0]], [*(b for _, b in pairs), other[1]]
    known = [(a.lower(), b.lower()) in lower for a, b in zip(source, target, strict=True)]
    assert trained.has_pairs(source, target).tolist() == known
    assert trained.swap().has_pairs(target, source).tolist() == known
    words = [word.lower() in {a for a, _ in lower} for word in source]
    assert trained.has_source(source).tolist() == words
    assert trained.swap().has_target(source).tolist() == words


def test_the_digest_is_that_of_the_documentation() -> None:
    """The first eight bytes of the SHA-256 of both words in lower case, with a tab between."""
    expected = int.from_bytes(sha256(b"dog\tchien").digest()[:8], "little")
    assert TrainingPairs.of([("Dog", "chien")]).pairs.tolist() == [expected]


def test_a_mapping_keeps_the_pairs_of_its_lexicon(tmp_path: Path) -> None:
    """Pairs without a vector too: they are pairs of the training lexicon."""
    source, target, pairs = turned(60, 6)
    left = write_vectors(source, tmp_path / "left.vec")
    right = write_vectors(target, tmp_path / "right.vec")
    lexicon = [*pairs[:30], ("unknown", "inconnu")]
    map_vectors(left, right, "procrustes", lexicon=lexicon, output=tmp_path / "a.map")
    trained = Mapping.read(tmp_path / "a.map").training_pairs
    assert trained is not None
    assert len(trained) == 31
    assert trained.has_pairs(*zip(*lexicon, strict=True)).all()
    assert not trained.has_source([a for a, _ in pairs[30:]]).any()
    assert not trained.has_pairs(["w0"], ["v1"]).any()
    opened = OpenMapping.of(tmp_path / "a.map", reverse=True)
    assert opened.training_pairs is not None
    assert opened.training_pairs.has_pairs(["v0", "w0"], ["w0", "v0"]).tolist() == [True, False]
    assert opened.training_pairs.has_source(["v0", "w0"]).tolist() == [True, False]


def test_identical_words_are_training_pairs() -> None:
    source, target, _ = turned(60, 6)
    alike = WordVectors.of([word.replace("v", "w") for word in target.words], target.matrix)
    trained = map_vectors(source, alike, "muse-i:refinements=0").training_pairs
    assert trained is not None
    assert len(trained) == 60
    assert trained.has_pairs(["w7"], ["w7"]).all()


def test_without_a_lexicon_there_are_none() -> None:
    source, target, _ = turned(60, 6)
    trained = map_vectors(source, target, "vecmap-u:patience=1,csls=3").training_pairs
    assert trained is not None
    assert len(trained) == 0


def test_files_of_older_versions_are_read_and_damaged_ones_refused(tmp_path: Path) -> None:
    source, target, pairs = turned(60, 6)
    path = tmp_path / "a.map"
    map_vectors(source, target, "procrustes", lexicon=pairs, output=path)
    header, arrays = read_archive(path, "misword-mapping", "mapping", 1)
    facts = {k: v for k, v in header.items() if k not in ("format", "checksums", "checksum")}
    older = {name: one for name, one in arrays.items() if not name.startswith("training.")}
    assert len(older) == len(arrays) - 3
    write_archive(path, "misword-mapping", facts, older)
    assert Mapping.read(path).training_pairs is None
    Mapping.read(path).write(path)
    assert Mapping.read(path).training_pairs is None
    for wrong in ({"training.pairs": np.zeros(3)}, {"training.pairs": np.zeros(3, np.uint64)}):
        write_archive(path, "misword-mapping", facts, {**older, **wrong})
        with pytest.raises(InputError, match="digests of the training pairs"):
            Mapping.read(path)
