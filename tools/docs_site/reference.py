"""Pages of the API: a page for each package, with the public names that come from it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from misword import _MODULES

# The page of a package: its file, its title, what it is about. "" is for all other packages.
PACKAGES = {
    "asr": ("transcripts", "Transcripts", "Score, compare and choose transcripts."),
    "noise": ("noise", "Noise", "Texts with the errors of a recogniser, and what they change."),
    "bli": ("lexicons", "Lexicons", "Mappings of word vectors, and bilingual lexicons."),
    "": ("data", "Data and scores", "What the functions read and return."),
}
TOOLS = ("tools", "Reports and other tools", "The HTML report, and the metrics of other libraries.")
TOOL_NAMES = (
    "misword.report.write_report",
    "misword.integrations.ErrorRates",
    "misword.integrations.log_to_mlflow",
    "misword.integrations.log_to_wandb",
)


def pages() -> dict[str, str]:
    """Return the text of each page by its path on the site."""
    names: dict[tuple[str, str, str], list[str]] = {page: [] for page in PACKAGES.values()}
    for name, module in _MODULES.items():
        page = PACKAGES.get(module.split(".")[1], PACKAGES[""])
        names[page].append(f"misword.{name}")
    names[TOOLS] = list(TOOL_NAMES)
    made = {
        f"api/{file}.md": f"# {title}\n\n{about}\n\n{_directives(names[file, title, about])}"
        for file, title, about in names
    }
    return {"api/index.md": _index(names), **made}


def _directives(names: Iterable[str]) -> str:
    """Return what makes Sphinx show each object: functions first, then classes."""
    lines = ["```{eval-rst}"]
    for name in _sorted(names):
        if _is_class(name):
            lines += [f".. autoclass:: {name}", "   :members:", "   :inherited-members:", ""]
        else:
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join([*lines, "```", ""])


def _index(names: dict[tuple[str, str, str], list[str]]) -> str:
    """Return the page with all names."""
    lines = [
        "# API reference",
        "",
        "All public functions and classes. `import misword` gives those of the first four pages. "
        "[In Python](../python.md) shows how they are used.",
        "",
    ]
    for (file, title, about), listed in names.items():
        links = ", ".join(f"{{py:obj}}`{name}`" for name in _sorted(listed))
        lines += [f"## [{title}]({file}.md)", "", about, "", links, ""]
    files = [file for file, _, _ in names]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *files, "```", ""])


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (_is_class(name), name))


def _is_class(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    return isinstance(getattr(import_module(module), attribute), type)
