"""Check what a release needs: `make release-check`, after which dist can be published.

Builds nothing itself: `make wheels` wrote dist. Versions of Python that are not on this machine are
named as not checked; `--require 3.11,3.12,3.13` makes that an error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from build_native import WHEELS
from release.bundled import bundled_problems
from release.environments import (
    FOLDER,
    Environment,
    StepError,
    built_from_source,
    fresh_environment,
    interpreter,
    resolve_problems,
)
from release.project import ROOT, pythons
from release.readme import readme_problems
from release.versions import current_tag, version, version_problems

DIST = ROOT / "dist"


@dataclass(slots=True)
class Report:
    """Prints each step and keeps the problems and what was not checked."""

    problems: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)

    def step(self, title: str, check: Callable[[], list[str]]) -> None:
        """Run a check that returns problems, and print how it ended."""
        try:
            found = check()
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
    for python in pythons():
        check_python(report, python)
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
