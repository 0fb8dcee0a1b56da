"""Whether the archives of a release hold what they should: `python docs/check_package.py dist`, from the Makefile."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

NEEDED = {
    "outscore/py.typed",
    "outscore/__main__.py",
    "outscore/web/templates/compare.html",
    "outscore/report/works.bib",
}
"""Beside code, what no import would miss at once."""
LARGEST = 4_000_000


def problems_of(folder: Path) -> list[str]:
    """What is wrong with the archives in a folder."""
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    found = []
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    found += [f"{wheel.name} lacks {name}" for name in sorted(NEEDED - set(names))]
    found += [f"{wheel.name} holds {name}" for name in names if not re.match(r"outscore(/|-[\d.]+\.dist-info/)", name)]
    found += [f"{wheel.name} holds {name}" for name in names if "__pycache__" in name or "node_modules" in name]
    found += [
        f"README of {wheel.name} has the relative link {path}" for path in re.findall(r"\]\((?!https?:|#)([^)]+)\)", metadata)
    ]
    found += [f"{one.name} has {one.stat().st_size:,} bytes" for one in (wheel, source) if one.stat().st_size > LARGEST]
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    found += [
        f"{source.name} lacks {name}"
        for name in ("tests/conftest.py", "hatch_build.py", "eslint.config.mjs", "LICENSE")
        if name not in inside
    ]
    return found


if __name__ == "__main__":
    problems = problems_of(Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    sys.exit(bool(problems))
