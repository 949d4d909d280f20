"""Settings of Sphinx for the documentation site (`make docs`)."""

from __future__ import annotations

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

import misword
from docs_site.annotations import add_imports_for_types, hide_fields, public_reference

project = "misword"
author = "The misword developers"
version = release = misword.__version__
html_title = f"misword {version}"
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 6  # links to headings, written as on a forge
default_role = "code"  # docstrings have `code` between single quotation marks
suppress_warnings = ["myst.header"]  # results of benchmarks have headings of levels 1 and 3

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_use_ivar = True  # attributes as one list
python_maximum_signature_line_length = 88
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"


def setup(app: Sphinx) -> None:
    """Resolve types that are imported for type checkers only; csv has no lexer of its own."""
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-before-process-signature", add_imports_for_types)
    app.connect("autodoc-process-signature", hide_fields)
    app.connect("missing-reference", public_reference)
