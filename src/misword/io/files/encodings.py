"""Text in an encoding other than UTF-8: converted to UTF-8 when a file is read."""

from __future__ import annotations

from misword.core.errors import InputError, OptionError

COMMON = "latin-1, cp1252, utf-16, shift_jis, gb18030, koi8-r"
# Parquet stores text as UTF-8, whatever the encoding of the other files is.
PARQUET = b"PAR1"


def to_utf8(data: bytes, encoding: str | None, shown: str) -> bytes:
    """Return data of the encoding as UTF-8; without an encoding, the data as it is.

    `shown` is the path of the data in errors. Every name that Python knows is an encoding.

    >>> to_utf8(b"caf\\xe9", "latin-1", "ref.txt").decode()
    'café'
    """
    if encoding is None or data.startswith(PARQUET):
        return data
    try:
        text = data.decode(encoding)
    except LookupError:
        raise OptionError(
            f"no text encoding is called {encoding!r}",
            fix=f"name one that Python knows with --encoding: {COMMON}, ...",
        ) from None
    except UnicodeError as error:
        # Encodings such as idna raise an error without a position.
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        raise InputError(
            f"invalid {encoding}: byte 0x{data[start]:02x} at byte {start + 1} of the file",
            where=f"{shown}:{line}",
            fix=f"name the right encoding with --encoding: {COMMON}, ...",
        ) from None
    return text.encode(errors="surrogatepass")
