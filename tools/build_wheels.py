"""Build the wheels of all platforms and the source distribution into `dist`, and check them.

`make wheels` runs this in a virtual environment that has hatchling, ziglang and lief.
"""

from __future__ import annotations

import os
from pathlib import Path

from hatchling.build import build_sdist, build_wheel

from build_native import WHEELS
from check_wheels import check_source_distribution, check_wheel

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "dist"


def main() -> None:
    """Build and check one file after the other; end at the first that is not right."""
    os.chdir(ROOT)  # hatchling builds the project of the current folder
    for tag, target in WHEELS.items():
        os.environ["MISWORD_WHEEL"] = tag  # read by hatch_build.py
        wheel = FOLDER / build_wheel(str(FOLDER))
        check_wheel(wheel, target)
        print(wheel.relative_to(ROOT))
    source = FOLDER / build_sdist(str(FOLDER))
    check_source_distribution(source)
    print(source.relative_to(ROOT))


if __name__ == "__main__":
    main()
