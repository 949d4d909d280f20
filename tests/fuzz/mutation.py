"""Random changes of files: what a bad disk, a cut transfer or an attacker makes of them.

All functions take a `random.Random`, so that a seed decides the result.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from random import Random

# Numbers, names and marks at which readers fail, as text.
TOKENS: tuple[bytes, ...] = (
    b"0", b"-1", b"4294967296", b"9223372036854775807", b"-9223372036854775808", b"1e308",
    b"1e-308", b"nan", b"inf", b"-inf", b"1_000", b"0x10", "٣".encode(),
    b"99999999999999999999999999", b"\n", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"\x0b", b"\x1c",
    b"\x00", b"\x85", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", "\u0085\u2028\u2029".encode(),
    b"\xed\xa0\x80", "e\u0301".encode(), "\U0010ffff".encode(), "\u202e".encode(), b"\x1b[2J", b'"',
    b"'", b"\\", b",", b";", b"|", b":", b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b"&amp;",
    b"/", b"@", b"*", b"^t.*$", b"=>", b";;", b"%", b"#", b"$x", b"__class__", b"../", b"null",
    b"true", b"NaN", b"Infinity", b"[[[[", b'{"a":', b"\x80\x04", b"PK\x03\x04", b"PAR1",
    b"\x1f\x8b",
)  # fmt: skip
# Words that are valid in any text, and hard to handle: numbers, signs, other writing systems, forms
# of Unicode, alternatives, fillers, formulas, controls.
HARD_WORDS: tuple[str, ...] = (
    "été", "e\u0301te\u0301", "ß", "İ", "ı", "ﬁ", "½", "²", "٣", "中文字", "ไทย", "\u05d0\u05d1",
    "👩\u200d🚀", "\u200b", "\u00ad", "\u0301", "\ufeff", "\U000e0001", "x" * 3000, "a b " * 500,
    "3.5%", "$5", "£1.50", "1,000,000", "1e5", "-0", "99999999999999999999", "10:30", "1/2",
    "2020-02-30", "IV", "21st", "twenty-one", "nan", "inf", "null", "true", "don't", "'", "-",
    "--", "...", "@", "/", "{", "}", "{ a / b }", "{ a / @ }", "um", "[noise]", "<unk>", "*a*",
    "%hes", "(a)", "a_b", "U.S.A.", "Dr.", "=1+1", "'=1", "+1", "@a", "|", "&lt;", "\u202eabc",
    "\x1b[2J", "\x7f", "\u2028", "", " ",
)  # fmt: skip
WORD = re.compile(r"[^\s,;|<>{}\"\[\]()]+")
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
# Numbers of 4 and 8 bytes in binary files.
EXTREMES = (
    *(struct.pack("<i", value) for value in (0, 1, -1, 1 << 30, (1 << 31) - 1, -(1 << 31))),
    *(struct.pack("<q", value) for value in (0, -1, 1 << 32, 1 << 40, (1 << 63) - 1, -(1 << 63))),
    *(struct.pack("<f", value) for value in (float("nan"), float("inf"), 3e38, 1e-45)),
)
MOST_COPIES = 300
GENTLE = 0.45

Mutation = Callable[[bytes, Random, Sequence[bytes]], bytes]


def mutated(data: bytes, random: Random, others: Sequence[bytes] = ()) -> bytes:
    """Return data after one to four random changes; parts of `others` may be put into it.

    Nearly half of the results are texts in which only words were replaced: most of them can still
    be read, so that what is done with the text is tested too.
    """
    if random.random() < GENTLE:
        return replace_words(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = random.choice(MUTATIONS)(data, random, others)
    return data


def replace_words(data: bytes, random: Random) -> bytes:
    """Replace some words of a text by hard ones; flip a bit in what is no text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return flip_bit(data, random, ())
    for _ in range(random.choice((1, 2, 3))):
        found = list(WORD.finditer(text))
        if found:
            word = random.choice(found)
            text = text[: word.start()] + random.choice(HARD_WORDS) + text[word.end() :]
    return text.encode()


def flip_bit(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


def truncate(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return data[: random.randint(0, len(data))]


def remove_part(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    start, stop = _part(data, random)
    return data[:start] + data[stop:]


def repeat_part(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    start, stop = _part(data, random)
    times = random.choice((1, 1, 2, 10, MOST_COPIES))
    return data[:stop] + data[start:stop] * times + data[stop:]


def insert_part_of_another(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    other = random.choice(others) if others else data
    start, stop = _part(other, random)
    return _inserted(data, other[start:stop], random)


def insert_token(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return _inserted(data, random.choice(TOKENS), random)


def insert_random_bytes(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return _inserted(data, random.randbytes(random.randint(1, 8)), random)


def change_number(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Replace a number in a text by another one."""
    found = list(NUMBER.finditer(data))
    if not found:
        return insert_token(data, random, others)
    number = random.choice(found)
    return data[: number.start()] + random.choice(TOKENS) + data[number.end() :]


def change_binary_number(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Replace four or eight bytes by an extreme number, more often near the beginning."""
    value = random.choice(EXTREMES)
    last = random.choice((16, 64, 256, len(data)))
    place = random.randint(0, min(last, len(data)))
    return data[:place] + value + data[place + len(value) :]


def change_lines(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Exchange, remove or repeat a line."""
    lines = data.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(3):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            del lines[one]
        case _:
            lines[one:one] = [lines[other]] * random.choice((1, 2, MOST_COPIES))
    return b"\n".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    flip_bit, flip_bit, truncate, remove_part, repeat_part, insert_part_of_another, insert_token,
    insert_token, insert_random_bytes, change_number, change_number, change_binary_number,
    change_lines,
)  # fmt: skip


def _part(data: bytes, random: Random) -> tuple[int, int]:
    """Return the start and the end of a part of data, which is mostly short."""
    start = random.randint(0, len(data))
    longest = random.choice((1, 4, 16, 64, len(data)))
    return start, min(len(data), start + random.randint(0, longest))


def _inserted(data: bytes, part: bytes, random: Random) -> bytes:
    place = random.randint(0, len(data))
    return data[:place] + part + data[place:]
