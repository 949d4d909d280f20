"""Text of users in Markdown, where it must not become a link, an image, HTML or emphasis."""

from __future__ import annotations

import re
from html import escape

from misword.core.visible import visible

# Characters with a meaning inside a line, and the bar between the cells of a table. An underscore
# within a word has none. An escaped colon or full stop keeps an address from becoming a link.
_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)


def markdown_text(text: str) -> str:
    r"""Return a text, in one line, that Markdown shows as it is.

    >>> print(markdown_text("[a](b) <i> snake_case *c*"))
    \[a\](b) &lt;i&gt; snake_case \*c\*
    """
    return _MARKS.sub(r"\\\g<0>", escape(visible(text), quote=False))


def code_span(text: str) -> str:
    """Return a text as code, in a fence of backticks that is longer than any in the text.

    >>> code_span("wer|v:1"), code_span("a`b")
    ('`wer|v:1`', '`` a`b ``')
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    if not longest:
        return f"`{visible(text)}`"
    fence = "`" * (longest + 1)
    return f"{fence} {visible(text)} {fence}"
