"""Zstandard streams in every reader: the content is read whole, or the file is refused."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import misword
from fuzz.seeds import TEXTS
from misword.asr.entities.spans import read_keywords
from misword.asr.forgiving.equivalents import read_equivalents
from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.embed.vectors.words import WordVectors
from misword.io.judgements import read_sts, read_triplets
from misword.io.lexicons import read_lexicon
from misword.io.transcripts.read import read_corpus, read_transcript
from misword.text.normalizers.rules import Rules
from misword.text.normalizers.sclite import Glm

zstandard = pytest.importorskip("zstandard", reason="needs zstandard")
SKIPPABLE = struct.pack("<II", 0x184D2A50, 4) + b"size"


def transcript(path: Path) -> Any:
    return read_transcript(path, role="hypothesis").frame.rows()


def metadata(path: Path) -> Any:
    ref = path.parent / "ref.kaldi"
    ref.write_text(TEXTS["ref.kaldi"], "utf-8")
    corpus, _ = read_corpus(ref, ref, metadata=[path])
    return corpus.references.rows()


def vectors(path: Path) -> Any:
    opened = WordVectors.open(path, keep=False)
    return opened.words[:], opened.matrix.tolist()


def shard(path: Path) -> Any:
    tally = misword.score(
        misword.shards(path, hypothesis_column="pred_text", engine="serial"), metrics="wer"
    )
    return tally.summary(bootstrap=0).rows()


def rewritten(path: Path) -> Any:
    out = path.parent / f"noisy{Path(path.name.removesuffix('.zst')).suffix}"
    misword.corrupt_file(path, 0.0, out, channel="uniform")
    return out.read_bytes()


READERS: dict[str, tuple[Callable[[Path], Any], tuple[str, ...]]] = {
    "transcript": (
        transcript,
        ("hyp.txt", "hyp.kaldi", "hyp.trn", "hyp.stm", "hyp.ctm", "hyp.csv", "hyp.tsv",
         "hyp.jsonl", "hyp.nlp", "hyp.srt", "hyp.vtt", "nbest.csv", "moses.txt", "nbest.json"),
    ),
    "metadata": (metadata, ("meta.csv", "utt2spk")),
    "shard": (shard, ("both.jsonl",)),
    "rewritten": (rewritten, ("hyp.csv", "hyp.trn", "hyp.jsonl", "hyp.txt")),
    "lexicon": (lambda path: read_lexicon(path).source, ("lexicon.tsv", "lexicon.csv")),
    "vectors": (vectors, ("a.vec", "glove.txt")),
    "sts": (lambda path: repr(read_sts(path)), ("sts.tsv", "sick.txt")),
    "triplets": (lambda path: repr(read_triplets(path)), ("triplets.tsv",)),
    "rules": (lambda path: Rules(file=str(path)).settings(Context()), ("rules.txt",)),
    "glm": (lambda path: Glm(file=str(path)).settings(Context()), ("rules.glm",)),
    "equivalents": (lambda path: repr(read_equivalents(path)), ("equivalents.txt",)),
    "keywords": (read_keywords, ("keywords.tsv",)),
}  # fmt: skip
CASES = [(reader, name) for reader, (_, names) in READERS.items() for name in names]


def streams(data: bytes) -> Iterator[tuple[str, bytes, bool]]:
    """Zstandard streams of the data: what each is, its bytes, and whether it is whole."""
    cut = data.index(b"\n") + 1 if b"\n" in data[:-1] else len(data) // 2
    for checked in (True, False):
        packer = zstandard.ZstdCompressor(write_checksum=checked, write_content_size=checked)
        whole, first, second = map(packer.compress, (data, data[:cut], data[cut:]))
        yield "one frame", whole, True
        yield "two frames", first + second, True
        yield "frames without content", SKIPPABLE + first + SKIPPABLE + second + SKIPPABLE, True
        for size in (1, 3, 4, 5, 9, len(whole) // 2, len(whole) - 4, len(whole) - 1):
            yield f"the first {size} bytes", whole[:size], False
        for size in (1, 4, 6, len(second) - 1):
            yield f"the first frame and {size} bytes", first + second[:size], False
        for rubbish in (b"\0", b"\n", b"more text\n", b"\x28\xb5\x2f", SKIPPABLE[:6]):
            yield f"{rubbish!r} after the frame", whole + rubbish, False
        for magic in (b"\0\0\0\0", b"abcd", b"\x29\xb5\x2f\xfd", b"\x1f\x8b\x08\0"):
            yield f"begins with {magic!r}", magic + whole[4:], False
            yield f"a second frame that begins with {magic!r}", first + magic + second[4:], False


@pytest.mark.parametrize(("reader", "name"), CASES)
def test_a_stream_is_read_whole_or_refused(
    reader: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    read = READERS[reader][0]
    data = TEXTS[name].encode()
    path = tmp_path / name
    path.write_bytes(data)
    expected = read(path)
    path.unlink()
    packed = tmp_path / f"{name}.zst"
    for what, stream, whole in streams(data):
        packed.write_bytes(stream)
        if whole:
            assert read(packed) == expected, what
        else:
            with pytest.raises(MiswordError):
                pytest.fail(f"{what} was read: {read(packed)}")
