"""Text of users stays text in Markdown."""

from __future__ import annotations

from html import unescape
from re import findall

import pytest
from markdown_it import MarkdownIt

from misword.cli.printing import code_span
from misword.cli.rendering import markdown
from misword.core import tables

HOSTILE = [
    "[click](javascript:alert(1))",
    "![x](http://a.example/x.png)",
    "<img src=x onerror=alert(1)> <http://a.example> &lt;b&gt; &amp;",
    "`code` ``more`` *a* **b** _c_ __d__ ~~e~~ snake_case",
    "a | b \\| c \\ d \\\\| e",
    "[a]: http://a.example",
    "# no heading",
    "line\nend\rhere",
    "$x$ www.a.example http://a.example",
]


def rendered(text: str) -> str:
    return str(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))


@pytest.mark.parametrize("text", HOSTILE)
def test_cells_are_shown_as_they_are(text: str) -> None:
    columns = tables.text("a"), tables.count("b", text)
    html = rendered(markdown(tables.Table("hostile", columns, [{"a": text, "b": 1}], title=text)))
    tags = {tag.split()[0].strip("/") for tag in findall("<([^>]+)>", html)}
    assert tags <= {"p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    shown = text.replace("\n", "\\n").replace("\r", "\\r")
    cells = [unescape(cell) for cell in findall(r"<t[hd][^>]*>(.*?)</t[hd]>", html)]
    assert cells == ["a", shown, shown, "1"]


@pytest.mark.parametrize("text", ["wer|v:1", "a`b", "```", "`", "a ``b`` ` c"])
def test_code_is_shown_as_it_is(text: str) -> None:
    assert rendered(code_span(text)) == f"<p><code>{text}</code></p>\n"
