"""Clean virtual environments, one for each version of Python, under `build/release`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from release.project import ROOT

FOLDER = ROOT / "build" / "release"
BIN = "Scripts" if sys.platform == "win32" else "bin"
ASK = "import sys; print('{}.{}'.format(*sys.version_info))"


class StepError(Exception):
    """A command that ended with an error: the command and what it printed."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment with nothing but pip and what is installed here."""

    folder: Path

    def run(self, program: str, *arguments: str, cwd: Path | None = None) -> str:
        """Run a program of the environment; return what it prints."""
        return run([str(self.folder / BIN / program), *arguments], cwd=cwd)

    def install(self, *what: str) -> None:
        """Install packages."""
        self.run("python", "-m", "pip", "install", "--quiet", *what)


def run(command: list[str], cwd: Path | None = None) -> str:
    """Run a command without the variables that point Python at another environment."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    environment |= {"COLUMNS": "200", "NO_COLOR": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise StepError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def interpreter(version: str) -> str | None:
    """Return the program of a version of Python (`3.12`); None if the machine has none."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [
        sys.executable,
        shutil.which(f"python{version}"),
        *map(str, sorted((home / "versions").glob(f"{version}.*/bin/python"))),
    ]
    return next((path for path in candidates if path and _is_version(path, version)), None)


def _is_version(program: str, version: str) -> bool:
    done = subprocess.run([program, "-c", ASK], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def fresh_environment(program: str, name: str) -> Environment:
    """Make a virtual environment in place of an older one with this name."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    run([program, "-m", "venv", str(folder)])
    return Environment(folder)


def resolve_problems(requirement: str, version: str) -> list[str]:
    """Return why pip finds no wheels for a version of Python that the machine need not have."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--python-version", version, "--only-binary", ":all:", "--target", str(FOLDER)]
    try:
        run([*command, requirement])
    except StepError as error:
        return [line for line in str(error).splitlines() if line.startswith("ERROR")]
    return []


def built_from_source(environment: Environment, requirement: str) -> list[str]:
    """Return the files without a wheel among those that pip would install for a requirement."""
    options = ["--quiet", "--dry-run", "--report", "-", requirement]
    report = json.loads(environment.run("python", "-m", "pip", "install", *options))
    addresses = [package["download_info"]["url"] for package in report["install"]]
    return [url.rpartition("/")[2] for url in addresses if not url.endswith(".whl")]
