"""Files of word vectors: all formats, and flaws of each."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.lib import format as npy
from numpy.typing import NDArray

from fasttext_file import fasttext_bin
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress, reporting
from misword.embed.vectors.words import WordVectors
from misword.io.vectors import VECTOR_FORMATS, text

Read = Callable[..., WordVectors]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Write bytes to a file and open it, without the store."""
    folder = tmp_path_factory.mktemp("vectors")

    def put(content: bytes | str, name: str = "v.vec", **options: Any) -> WordVectors:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return WordVectors.open(path, keep=False, **options)

    return put


def lines(count: int = 200, *, dimension: int = 3) -> list[str]:
    """Valid lines with distinct words."""
    return [f"w{i} " + " ".join(f"{i}.{j}" for j in range(dimension)) for i in range(count)]


def vec(rows: list[str], dimension: int = 3) -> str:
    return "\n".join([f"{len(rows)} {dimension}", *rows]) + "\n"


words = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r\0"), min_size=1, max_size=12
).filter(lambda word: word != "\ufeff" and not word.startswith("\ufeff"))
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
spellings = st.sampled_from(["{!r}", "{:.17g}", "{:.6f}", "{:e}", "{:+.3E}", "{:.25f}"])


@pytest.mark.slow
@given(st.data())
def test_text_round_trip(read: Read, data: st.DataObject) -> None:
    dimension = data.draw(st.integers(1, 5))
    names = data.draw(st.lists(words, min_size=1, max_size=8, unique=True))
    size = len(names) * dimension
    flat = data.draw(st.lists(floats, min_size=size, max_size=size))
    forms = data.draw(st.lists(spellings, min_size=size, max_size=size))
    spelt = [form.format(value) for form, value in zip(forms, flat, strict=True)]
    with np.errstate(over="ignore"):
        expected = np.array([float(s) for s in spelt]).astype(np.float32).reshape(-1, dimension)
    rows = [
        " ".join([name, *spelt[i * dimension : (i + 1) * dimension]])
        for i, name in enumerate(names)
    ]
    if not np.isfinite(expected).all():  # rounding up to what is too large
        return
    vectors = read(vec(rows, dimension))
    assert list(vectors.words) == names
    assert vectors.matrix.tobytes() == expected.tobytes()
    assert vectors.notes == ()


digits = st.text("0123456789", max_size=26)
numbers = st.builds(
    lambda sign, whole, fraction, power: f"{sign}{whole}{fraction}{power}",
    st.sampled_from(["", "-", "+"]),
    digits,
    st.one_of(st.just(""), digits.map(".{}".format)),
    st.one_of(st.just(""), st.integers(-60, 45).map("e{}".format), st.just("E+07")),
)


@pytest.mark.slow
@given(numbers)
@example("1.00000005960464477539062")  # next to the middle between two floats
@example("1.000000059604644775390625")
@example("1.0000000596046447753906250000001")
@example("16777217")
@example("9007199254740993")
@example("1e-46")
@example("7.006492321624086e-46")
@example("1.17549421e-38")
@example("3.4028235677973366e38")
@example("3.40282357e38")
@example("-0.0")
@example("0e999")
@example("1e-999")
@example("00000000000000000000000000000001.5")
@example("0.000000000000000000000000000000015")
@example("123456789012345678901234567890")
@example(".")
@example("1e")
def test_every_number_is_that_of_python(read: Read, number: str) -> None:
    try:
        with np.errstate(over="ignore"):
            expected = np.float32(float(number))
    except ValueError:
        expected = np.float32("nan")
    rows = [*lines(100, dimension=1), f"x {number}"]
    vectors = read(vec(rows, 1))
    if np.isfinite(expected):
        assert vectors["x"].tobytes() == expected.tobytes()
    else:
        assert "x" not in vectors
        width = "" if number else "wrong width"
        assert width in vectors.notes[0]


@pytest.mark.parametrize("form", ["{:.18e}", "{:.17f}", "{:.16f}", "{:.24f}", "{:.8f}"])
def test_numbers_between_two_floats(read: Read, form: str) -> None:
    """Where an error in the last place of a double would show in single precision."""
    rng = np.random.default_rng(0)
    low = rng.uniform(0.1, 1, (100, 60)).astype(np.float32)
    middle = (low.astype(np.float64) + np.nextafter(low, np.float32(2))) / 2
    spelt = [[form.format(value) for value in row] for row in middle.tolist()]
    vectors = read(vec([" ".join([f"w{i}", *row]) for i, row in enumerate(spelt)], 60))
    expected = np.array([[float(value) for value in row] for row in spelt]).astype(np.float32)
    assert vectors.matrix.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("bad 1 2", "1 line left out, wrong width (line 12)"),
        ("bad 1 2 3 4", "1 line left out, wrong width (line 12)"),
        ("bad 1 two 3", "1 line left out, not a finite number (line 12)"),
        ("bad 1 nan 3", "1 line left out, not a finite number (line 12)"),
        ("bad 1 -inf 3", "1 line left out, not a finite number (line 12)"),
        ("bad 1 1e39 3", "1 line left out, not a finite number (line 12)"),
        ("bad 1 1_0 3", "1 line left out, not a finite number (line 12)"),
        (" 1 2 3", "1 line left out, no word (line 12)"),
        ("w3 7 7 7", "1 duplicate word: the first counts (line 12)"),
    ],
)
def test_flawed_lines_are_left_out_and_named(read: Read, line: str, note: str) -> None:
    rows = lines()
    vectors = read(vec([*rows[:10], line, *rows[10:]]))
    assert vectors.notes == (note,)
    assert list(vectors.words) == [f"w{i}" for i in range(200)]
    assert vectors["w3"].tolist() == pytest.approx([3.0, 3.1, 3.2])
    assert vectors["w199"].tolist() == pytest.approx([199.0, 199.1, 199.2])


def test_a_word_that_is_not_utf8(read: Read) -> None:
    rows = [row.encode() for row in lines()]
    rows[5:7] = [b"\xc3 1 2 3", b"\xa9 1 2 3"]  # together they would be a letter
    vectors = read(b"200 3\n" + b"\n".join(rows) + b"\n")
    assert vectors.notes == ("2 lines left out, not UTF-8 (lines 7, 8)",)
    assert len(vectors) == 198


def test_many_duplicate_words(read: Read) -> None:
    rows = [f"w{i % 50} {i} 0 0" for i in range(200)]
    vectors = read(vec(rows))
    assert vectors.notes == (
        "150 duplicate words: the first counts (lines 52, 53, 54, 55, 56, ...)",
    )
    assert vectors.matrix[:, 0].tolist() == list(range(50))


def test_too_many_flaws_are_an_error(read: Read) -> None:
    rows = lines()
    rows[20:23] = ["x 1 2", "y 1 2", "z 1 2 x"]
    with pytest.raises(InputError, match=r"v\.vec:22: wrong width, and 3 of 200 lines"):
        read(vec(rows))


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (". . . 1 2 3", ". . ."),
        ("at name@domain.com 1 2 3", "at name@domain.com"),
        ("5 apples 1 2 3", "5 apples"),
        ("été\t1 2\t3 \t", "été"),
        (" lead 1 2 3", "lead"),
        ("nb\u00a0sp 1 2 3\r", "nb\u00a0sp"),
        ("2000 1 2 3", "2000"),
        ("1\u20282 1  2   3", "1\u20282"),
    ],
)
def test_unusual_words_are_read(read: Read, line: str, word: str) -> None:
    for content, options in (
        (vec([*lines(), line]), {}),
        ("\n".join([*lines(), line]), {"vector_format": "glove"}),
    ):
        vectors = read(content, **options)
        assert vectors.words[-1] == word
        assert vectors[word].tolist() == [1, 2, 3]
        assert vectors.notes == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\n\n"])
@pytest.mark.parametrize("final", [True, False])
def test_line_ends_blank_lines_and_marks(read: Read, end: str, final: bool) -> None:
    content = end.join(["3 2", "a 1 2", "b 3 4", "c 5 6"]) + end * final
    expected = [[1, 2], [3, 4], [5, 6]]
    assert read(content).matrix.tolist() == expected
    assert read("\ufeff" + content).matrix.tolist() == expected
    headless = content.split("\n", 1)[1]
    assert read(headless, "g.txt").matrix.tolist() == expected
    assert read("\ufeff" + headless, "g.txt").words[0] in ("a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("3 2\n", "a header and no words"),
        ("3 2\na 1 2\nb 3 4\n", "the header says 3 words, 2 lines follow it\n  the file was cut"),
        ("3 2\na 1 2\nb 3 4\nc 5 ", "wrong width"),
        ("1 2\na 1 2\nb 3 4\n", "the header says 1 words, 2 lines follow it\n  correct the header"),
        ("2 3\na 1 2\nb 3 4\n", ":2: the header says 3 numbers a word, this line has 2"),
        ("2 3\na 1 2 3 4\nb 3 4 5 6\n", ":2: the header says 3 numbers a word, this line has 4"),
        ("a 1 2\nb 3 4\nc 5\n", "the last line has 1 numbers, not 2\n  the file was cut off"),
        ("a 1 2\nb 3 4\nc", "the last line has 0 numbers, not 2"),
        ("<!DOCTYPE html>\n<html><body>Not found 404</body></html>\n", "this is an HTML page"),
        ("just some words\nand more of them\n", "does not look like word vectors\n  name its"),
        (b"\x93NUMPY" + bytes(range(256)) * 8, "does not look like word vectors"),
        (np.random.default_rng(0).bytes(100_000), "does not look like word vectors"),
    ],
)
def test_files_that_are_no_vectors(read: Read, content: bytes | str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(content)
    assert message in str(error.value)


def test_forced_formats(read: Read) -> None:
    with pytest.raises(InputError, match="not `count dimension`"):
        read("a 1 2\nb 3 4\n", vector_format="word2vec")
    with pytest.raises(InputError, match="the first lines are not"):
        read("nothing here\nat all really\n", vector_format="glove")
    with pytest.raises(OptionError, match="did you mean 'glove'"):
        read("a 1 2\n", vector_format="glov")
    for name in ("word2vec-binary", "fasttext", "npz"):
        with pytest.raises(InputError):
            read("a 1 2\nb 3 4\n", vector_format=name)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: zstandard.compress(data[:99]) + zstandard.compress(data[99:]),
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_compressed_files(read: Read, suffix: str) -> None:
    content = vec(lines()).encode()
    packed = PACKERS[suffix](content)
    vectors = read(packed, f"v.vec.{suffix}")
    assert vectors.digest == sha256(content).hexdigest()
    assert len(vectors) == 200
    assert read(packed, "misnamed").digest == vectors.digest
    with pytest.raises(InputError, match="cut off or damaged"):
        read(packed[:-20], f"v.vec.{suffix}")


def test_long_files_are_read_in_blocks(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    content = vec([*lines(300), "odd one 1 2 3", "w7 0 0 0"])
    whole = read(content)
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(text, "BLOCK", size)
        again = read(content)
        assert list(again.words) == list(whole.words)
        assert again.matrix.tobytes() == whole.matrix.tobytes()
        assert (again.digest, again.notes) == (whole.digest, whole.notes)
    monkeypatch.setattr(text, "LONGEST_LINE", 10)
    with pytest.raises(InputError, match="a line of more than"):
        read(vec(["a " + "1 " * 500], 500))


def test_max_words(read: Read) -> None:
    content = vec(lines())
    with pytest.raises(OptionError, match="max_words is 0"):
        read(content, max_words=0)
    few = read(content, max_words=7)
    assert list(few.words) == [f"w{i}" for i in range(7)]
    part = content.encode()[: content.index("w7 ")]
    assert few.digest == sha256(part + b"\0max_words=7").hexdigest()
    assert read(content, max_words=999).digest != read(content).digest
    assert len(read(content, max_words=999)) == 200
    assert len(read("\n".join(lines()), "g.txt", max_words=5)) == 5
    cut = content[: content.index("w100 ")]
    assert len(read(cut, max_words=50)) == 50
    with pytest.raises(InputError, match="100 lines follow"):
        read(cut, max_words=150)


def binary(names: list[bytes], matrix: NDArray[np.float32], newline: bytes = b"\n") -> bytes:
    rows = [
        name + b" " + row.astype("<f4").tobytes() for name, row in zip(names, matrix, strict=True)
    ]
    return b"%d %d\n" % matrix.shape + newline.join(rows) + newline


@given(st.lists(words, min_size=1, max_size=9, unique=True), st.sampled_from([b"", b"\n"]))
def test_word2vec_binary_round_trip(read: Read, names: list[str], newline: bytes) -> None:
    matrix = np.random.default_rng(len(names)).normal(size=(len(names), 5)).astype(np.float32)
    content = binary([name.encode() for name in names], matrix, newline)
    vectors = read(content, "v.bin", vector_format="word2vec-binary")
    assert list(vectors.words) == names
    assert vectors.matrix.tobytes() == matrix.tobytes()
    assert vectors.digest == sha256(content).hexdigest()


def test_word2vec_binary_flaws(read: Read) -> None:
    matrix = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
    names = [b"w%d" % i for i in range(300)]
    content = binary(names, matrix)
    assert read(content, "v.bin").format == "word2vec-binary"
    assert read(gzip.compress(content), "v.bin.gz").format == "word2vec-binary"
    assert list(read(content, "v.bin", max_words=2).words) == ["w0", "w1"]
    with pytest.raises(InputError, match="ends after 299 words of 300: it was cut off"):
        read(content[:-10], "v.bin")
    with pytest.raises(InputError, match="more follows"):
        read(content + content[8:], "v.bin")
    matrix[3, 0] = np.nan
    names[5] = b"\xff"
    flawed = read(binary(names, matrix), "v.bin")
    assert flawed.notes == (
        "1 word left out, not a finite number (word 4)",
        "1 word left out, not UTF-8 (word 6)",
    )
    assert len(flawed) == 298


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npz(tmp_path: Path, dtype: str, order: Any) -> None:
    matrix = np.arange(5000 * 2).reshape(5000, 2).astype(dtype, order=order)
    names = np.array([f"mot-é{i}" for i in range(5000)])
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "v.npz", tokens=names, anything=matrix, more=np.zeros(3))
        vectors = WordVectors.open(tmp_path / "v.npz", keep=False)
        assert vectors.format == "npz"
        assert list(vectors.words) == names.tolist()
        assert np.array_equal(vectors.matrix, matrix.astype(np.float32))
    few = WordVectors.open(tmp_path / "v.npz", keep=False, max_words=4500)
    assert len(few) == 4500


def test_npz_flaws(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    for arrays in (
        {"w": np.array(["a"]), "m": np.zeros((2, 2))},
        {"w": np.array(["a"], object), "m": np.zeros((1, 2))},
        {"m": np.zeros((1, 2))},
        {"w": np.array(["a"]), "m": np.ones((1, 2)), "n": np.ones((1, 2))},
    ):
        np.savez(path, **arrays)
        with pytest.raises(InputError, match="one array of words"):
            WordVectors.open(path, keep=False)
    np.savez(path, w=np.array(["a", "b"]), m=np.ones((2, 2)))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="cut off or damaged"):
        WordVectors.open(path, keep=False)


@pytest.mark.parametrize("shape", [(4_000_000_000, 300), (2, 4_000_000_000)])
def test_npz_claims_allocate_nothing(tmp_path: Path, shape: tuple[int, int]) -> None:
    """The header of an array is compared with the bytes that are there."""
    path = tmp_path / "v.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, dtype, claimed in (("w", "<U1", shape[:1]), ("m", "<f4", shape)):
            file = BytesIO()
            header = {"descr": dtype, "fortran_order": False, "shape": claimed}
            npy.write_array_header_1_0(file, header)
            archive.writestr(f"{name}.npy", file.getvalue() + bytes(8))
    with pytest.raises(InputError, match=r"bytes of numbers are claimed, 8 are there"):
        WordVectors.open(path, keep=False)


def test_npz_that_unpacks_to_much_more(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    names = np.array([f"w{n}" for n in range(100_000)])
    np.savez_compressed(path, w=names, m=np.zeros((100_000, 1000), np.float32))
    with pytest.raises(InputError, match="of compressed data that become more than"):
        WordVectors.open(path, keep=False)


def test_npz_with_wide_words(tmp_path: Path) -> None:
    """Blocks of rows have a limited size, also if a row is large."""
    names = np.array([f"{n} {'x' * 50_000}" for n in range(40)])
    np.savez_compressed(tmp_path / "v.npz", w=names, m=np.ones((40, 2)))
    assert list(WordVectors.open(tmp_path / "v.npz", keep=False).words) == names.tolist()


def test_fasttext_files(read: Read) -> None:
    matrix = np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32)
    content = fasttext_bin([b"a", b"b", b"\xff"], matrix, labels=2)
    for packed, name in ((content, "v.bin"), (gzip.compress(content), "v.bin.gz")):
        vectors = read(packed, name)
        assert list(vectors.words) == ["a", "b", "\\xff"]
        assert vectors["b"].tolist() == matrix[1].tolist()
        assert vectors.notes == ("not UTF-8, odd bytes shown as \\xNN: word 3",)
        assert vectors.settings[2] == ("oov", "one")
        assert vectors.digest == sha256(content).hexdigest()
    assert list(read(content, "v.bin", max_words=1).words) == ["a"]
    for broken, message in (
        (fasttext_bin([b"a"], matrix[:1], quantised=True), "quantised"),
        (fasttext_bin([b"a"], matrix[:1], version=13), "version 13"),
        (fasttext_bin([], matrix), "the header says nwords 0"),
        (fasttext_bin([b"a"] * 4, matrix), "3 x 4 numbers do not fit"),
        (fasttext_bin([b"a"] * 3, matrix), "duplicate words"),
        (content[:20], "ends at byte 20"),
        (content[:130], "ends after"),
        (content[:-20], "before its 48 bytes"),
    ):
        with pytest.raises(InputError, match=message):
            read(broken, "v.bin")
    with pytest.raises(InputError, match="ends at byte"):
        read(gzip.compress(content[:-20]), "v.bin.gz")


def test_fasttext_pruned_buckets(read: Read) -> None:
    """Only buckets 7 and 2 have rows, in this order."""
    matrix = np.arange(1, 4, dtype=np.float32).reshape(3, 1)
    content = fasttext_bin([b"a"], matrix, grams=(1, 1, 10), pruned=[(2, 1), (7, 0)])
    vectors = read(content, "v.bin")
    fnv = {c: (0x811C9DC5 ^ ord(c)) * 16777619 % 2**32 % 10 for c in map(chr, range(33, 127))}
    two, seven, other = (
        next(c for c, b in fnv.items() if test(b) and c != "a")
        for test in (lambda b: b == 2, lambda b: b == 7, lambda b: b not in (2, 7))
    )
    assert vectors[two].tolist() == [3]
    assert vectors[seven].tolist() == [2]
    assert vectors[two + seven + other].tolist() == [2.5]
    with pytest.raises(KeyError):
        _ = vectors[other]


def test_progress_is_reported(read: Read) -> None:
    told: list[tuple[str, int | None, int]] = []

    @contextmanager
    def listen(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        steps: list[int] = []
        yield steps.append
        told.append((what, total, sum(steps)))

    content = vec(lines()).encode()
    with reporting(listen):
        read(content)
        packed = gzip.compress(content)
        read(packed, "v.vec.gz")
    assert told == [
        ("reading v.vec", len(content), len(content)),
        ("reading v.vec.gz", len(packed), len(packed)),
    ]
    with progress("nobody listens") as step:
        step(1)


@pytest.mark.parametrize("name", VECTOR_FORMATS.names())
def test_every_format_keeps_the_contract(name: str) -> None:
    part = VECTOR_FORMATS.create(name)
    assert part.name == name
    assert all(suffix.startswith(".") for suffix in part.suffixes)
    assert not part.looks_like(b"\x00\x01 nothing of the kind")


def test_small_files_need_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text(vec(lines()))
    code = (
        "import sys; from misword.embed.vectors.words import WordVectors; "
        f"v = WordVectors.open({str(tmp_path / 'v.vec')!r}, keep=False); v.neighbors('w5'); "
        "print(*{'polars', 'scipy', 'gensim', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_blank_line_among_the_first(tmp_path: Path) -> None:
    rows = "".join(f"w{i} {i}.0 1.0\n" for i in range(10))
    (tmp_path / "v.vec").write_text(f"10 2\n\n{rows}", "utf-8")
    assert len(WordVectors.open(tmp_path / "v.vec", max_words=5, keep=False)) in (4, 5)
    assert len(WordVectors.open(tmp_path / "v.vec", keep=False)) == 10
