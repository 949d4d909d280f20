"""Articles in HTML, XDXF and Pango markup as plain text, for `article_text`."""

from __future__ import annotations

from html.parser import HTMLParser

# Elements that begin a new line.
BLOCKS = frozenset(
    ["br", "p", "div", "li", "ul", "ol", "dl", "dd", "dt", "blockquote", "h1", "h2", "def", "sense"]
)
# Elements whose text is no translation: the headword, pronunciation, comments, references and
# examples of XDXF, and what HTML does not show.
NO_TRANSLATION = frozenset(
    ("k", "tr", "co", "iref", "kref", "rref", "ex", "gr_info", "script", "style")
)
# Elements of XDXF with an abbreviation, such as the part of speech.
LABELS = frozenset({"abr", "abbr", "gr"})


def plain_text(markup: str) -> str:
    """Return the text of an article, with the numbers of its senses.

    >>> plain_text("<k>bank</k> <abr>n.</abr><ol><li>rive</li><li>banque</li></ol>").split("\\n")
    ['<n.>', '1. rive', '2. banque']
    """
    parser = _Text()
    parser.feed(markup)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


class _Text(HTMLParser):
    """Collects the pieces of the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = 0
        self._items = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a line, a numbered sense or a text that is left out."""
        if tag in BLOCKS:
            self.pieces.append("\n")
        if tag == "ol":
            self._items = 0
        if tag in ("li", "def", "sense"):
            self._items += 1
            self.pieces.append(f"{self._items}. ")
        self._silent += tag in NO_TRANSLATION
        if tag in LABELS:
            self.pieces.append("<")

    def handle_endtag(self, tag: str) -> None:
        """End what the tag began."""
        self._silent = max(0, self._silent - (tag in NO_TRANSLATION))
        if tag in LABELS:
            self.pieces.append(">")
        if tag in BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Add text, unless it is left out."""
        if not self._silent:
            self.pieces.append(data)
