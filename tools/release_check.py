"""Check what a release needs: `make release-check`, after which dist can be published.

Builds nothing itself: `make wheels` wrote dist. Versions of Python that are not on this machine are
named as not checked; `--require 3.11,3.12,3.13` makes that an error.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from build_native import WHEELS
from release.bundled import PARTS, bundled_problems
from release.environments import (
    FOLDER,
    Environment,
    StepError,
    built_from_source,
    fresh_environment,
    interpreter,
    resolve_problems,
    run,
)
from release.project import ROOT, pythons
from release.readme import readme_problems
from release.versions import current_tag, version, version_problems

DIST = ROOT / "dist"
# A version of Python that misword does not promise yet; its wheels are looked up.
NEXT_PYTHON = "3.14"
# Another version than that of requirements/torch.txt, which an environment may already have.
OTHER_TORCH = "torch<2.13"


@dataclass(slots=True)
class Report:
    """Prints each step and keeps the problems and what was not checked."""

    problems: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)

    def step(self, title: str, check: Callable[[], Iterable[str]]) -> None:
        """Run a check that returns problems, and print how it ended."""
        try:
            found = list(check())
        except StepError as error:
            found = [str(error)]
        print(f"{'PROBLEM' if found else 'ok':11} {title}", flush=True)
        for problem in found:
            print(f"            {problem}", flush=True)
        self.problems += found

    def skip(self, title: str, what: str) -> None:
        """Note that something cannot be checked here."""
        print(f"not checked {title}", flush=True)
        self.unchecked.append(what)


def main() -> None:
    """Run all checks; end with an error if there is a problem."""
    options = parsed()
    report = Report()
    tag = options.tag or current_tag()
    report.step(f"version {version()}, tag {tag or 'none'}", lambda: version_problems(tag=tag))
    report.step("CITATION.cff", citation_problems)
    report.step("files in dist", missing_files)
    for wheel in sorted(DIST.glob(f"misword-{version()}-*.whl")):
        report.step(f"licences in {wheel.name}", partial(bundled_problems, wheel))
    report.step("wheels built again: the same bytes", different_files)
    for python in [*pythons(), NEXT_PYTHON]:
        check_python(report, python)
    report.step("uvx misword demo", uvx_problems)
    report.step(f"list of components {sbom().relative_to(ROOT)}", sbom_problems)
    missing = sorted(set(options.require) & set(report.unchecked))
    report.problems += [f"Python {python} is not on this machine" for python in missing]
    sys.exit(f"{len(report.problems)} problems" if report.problems else 0)


def parsed() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tag", help="tag of the release; else that of the commit, if it has one")
    parser.add_argument(
        "--require",
        type=lambda text: text.split(","),
        default=[],
        metavar="VERSIONS",
        help="versions of Python without which the check fails, such as 3.11,3.12",
    )
    return parser.parse_args()


def check_python(report: Report, python: str) -> None:
    """Check the wheel and the source distribution with one version of Python."""
    title = f"Python {python}"
    program = interpreter(python)
    if program is None:
        wheel = str(wheel_of_this_machine())
        report.step(f"{title}: wheels of all packages", lambda: resolve_problems(wheel, python))
        report.skip(f"{title}: installation and README.md: it is not on this machine", python)
        return
    report.step(f"{title}: wheel, README.md", lambda: wheel_problems(program, python))
    report.step(f"{title}: misword[all]", lambda: extra_problems(python))
    report.step(f"{title}: misword[neural] with {OTHER_TORCH}", lambda: torch_problems(python))
    report.step(f"{title}: source distribution", lambda: source_problems(program, python))


def wheel_problems(program: str, python: str) -> list[str]:
    """Install the wheel, with wheels of all dependencies, and run README.md's commands."""
    environment = fresh_environment(program, f"wheel-{python}")
    environment.install("--only-binary", ":all:", str(wheel_of_this_machine()))
    environment.run("python", "-m", "pip", "check")
    return [*syntax_problems(environment), *readme_problems(environment)]


def syntax_problems(environment: Environment) -> Iterator[str]:
    """Compile all modules of the installed package; warnings of the compiler are problems."""
    code = "import misword, pathlib; print(pathlib.Path(misword.__file__).parent)"
    package = environment.run("python", "-c", code, cwd=environment.folder).strip()
    if ROOT / "src" in Path(package).parents:
        yield f"{package} is the source tree, not the wheel"
    environment.run("python", "-W", "error", "-m", "compileall", "-q", "-f", package)


def extra_problems(python: str) -> list[str]:
    """Let pip resolve all extras but the large ones; print what has no wheel."""
    environment = Environment(FOLDER / f"wheel-{python}")
    sources = built_from_source(environment, f"{wheel_of_this_machine()}[all]")
    if sources:
        print(f"            no wheels, built when they are installed: {', '.join(sources)}")
    return []


def torch_problems(python: str) -> list[str]:
    """Let pip resolve the extra that needs PyTorch for an environment with another version."""
    environment = Environment(FOLDER / f"wheel-{python}")
    wanted = [f"{wheel_of_this_machine()}[neural]", OTHER_TORCH]
    options = ["--quiet", "--dry-run", "--report", "-", *wanted]
    found = json.loads(environment.run("python", "-m", "pip", "install", *options))
    versions = {item["metadata"]["name"]: item["metadata"]["version"] for item in found["install"]}
    print(f"            torch {versions['torch']}", flush=True)
    return []


def different_files() -> Iterator[str]:
    """Build the wheels again from the source distribution; yield those with other bytes."""
    folder = FOLDER / "again"
    shutil.rmtree(folder, ignore_errors=True)
    name = f"misword-{version()}"
    with tarfile.open(DIST / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    (folder / name / "PKG-INFO").unlink()  # the build writes it
    run([sys.executable, "tools/build_wheels.py"], cwd=folder / name)
    for first in sorted(DIST.glob(f"{name}*")):
        again = folder / name / "dist" / first.name
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (first, again)]
        print(f"            {digests[0]}  {first.name}", flush=True)
        if digests[0] != digests[1]:
            yield f"{first.name} is {digests[1]} when it is built again"


def uvx_problems() -> list[str]:
    """Run the demonstration by uv from the wheel alone, with a cache of its own."""
    environment = fresh_environment(sys.executable, "uvx")
    environment.install("uv")
    options = ["--no-config", "--cache-dir", str(environment.folder / "cache")]
    options += ["--find-links", str(DIST), "--from", f"misword=={version()}"]
    printed = environment.run("uvx", *options, "misword", "demo", cwd=environment.folder)
    return [] if "wer" in printed else [f"misword demo prints {printed}"]


def sbom() -> Path:
    """Return the path of the list of components, in the format CycloneDX."""
    return FOLDER / f"misword-{version()}.cdx.json"


def sbom_problems() -> list[str]:
    """Write the list of components: the packages of an environment, and what the wheel contains."""
    environment = fresh_environment(sys.executable, "sbom")
    environment.install("--only-binary", ":all:", str(wheel_of_this_machine()))
    tools = fresh_environment(sys.executable, "sbom-tools")
    tools.install("cyclonedx-bom", "cyclonedx-python-lib[json-validation]")
    options = ["--output-reproducible", "--spec-version", "1.6", "--output-file", str(sbom())]
    tools.run("cyclonedx-py", "environment", *options, str(environment.folder / "bin" / "python"))
    content = json.loads(sbom().read_text("utf-8"))
    content["components"] += [
        {
            "type": "file" if part.text else "data",
            "name": part.origin,
            "bom-ref": f"bundled-{number}",
            "description": f"in the wheel of misword: {', '.join(part.patterns)}",
            "licenses": [{"expression": part.licence}],
        }
        for number, part in enumerate(PARTS)
    ]
    sbom().write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    code = (
        "import sys; from cyclonedx.schema import SchemaVersion; "
        "from cyclonedx.validation.json import JsonStrictValidator; "
        "error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()); "
        "print(error or '')"
    )
    problem = tools.run("python", "-c", code, str(sbom())).strip()
    return [problem] if problem else []


def source_problems(program: str, python: str) -> list[str]:
    """Build and install the source distribution, and score with it."""
    environment = fresh_environment(program, f"source-{python}")
    environment.install(str(DIST / f"misword-{version()}.tar.gz"))
    printed = environment.run("misword", "--version", cwd=environment.folder)
    environment.run("misword", "demo", cwd=environment.folder)
    return [] if version() in printed else [f"misword --version prints {printed}"]


def citation_problems() -> list[str]:
    """Validate CITATION.cff by the schema of the format."""
    environment = fresh_environment(sys.executable, "citation")
    environment.install("cffconvert")
    environment.run("cffconvert", "--validate", "--infile", str(ROOT / "CITATION.cff"))
    return []


def missing_files() -> list[str]:
    """Return the names of files that `make wheels` should have written."""
    names = [f"misword-{version()}-py3-none-{tag}.whl" for tag in WHEELS]
    names.append(f"misword-{version()}.tar.gz")
    return [f"dist/{name} is missing: make wheels" for name in names if not (DIST / name).is_file()]


def wheel_of_this_machine() -> Path:
    """Return the wheel that this machine can run."""
    here = set(sys_tags())
    for path in DIST.glob(f"misword-{version()}-*.whl"):
        if parse_wheel_filename(path.name)[3] & here:
            return path
    raise StepError(f"dist has no wheel of version {version()} for this machine")


if __name__ == "__main__":
    main()
