"""Names that match several files: wildcards for the runs of a system, ``{dataset}`` for the test sets."""

from __future__ import annotations

import fnmatch
import glob
import re
from collections.abc import Sequence
from pathlib import Path

from outscore.core.errors import OutscoreError
from outscore.workflows.names import distinct_names
from outscore.workflows.requests import shared

DATASET = shared.EACH_DATASET
WILDCARDS = re.compile(r"[._-]*(?:[*?]|\[[^]]*\])+([._-]?)")
"""Wildcards with the separators before them; the separator after them stays, as it may begin the suffix."""


def fill(written: str, dataset: str) -> str:
    """The name of the files of one test set.

    Examples
    --------
    >>> fill("out/{dataset}/new.*", "wmt[1]")
    'out/wmt[[]1]/new.*'
    >>> fill("out/{dataset}/new.txt", "wmt[1]")
    'out/wmt[1]/new.txt'
    """
    escaped = glob.escape(dataset) if glob.has_magic(written) else dataset
    return written.replace(DATASET, escaped)


def shared_datasets(written: Sequence[str]) -> tuple[list[str], list[str]]:
    """The test sets for which all names have files, and notes on the others; empty if no name contains ``{dataset}``."""
    by_dataset = [DATASET in name and not Path(name).exists() for name in written]
    if not any(by_dataset):
        return [], []
    if not all(by_dataset):
        without = written[by_dataset.index(False)]
        named = written[by_dataset.index(True)]
        cure = f"Write {DATASET} in the names of all files, or in none."
        raise OutscoreError(f"`{without}` does not contain {DATASET}, but `{named}` does.", cure)
    names = list(dict.fromkeys(written))
    datasets_by_name = {name: _datasets_of(name) for name in names}
    common = [dataset for dataset in datasets_by_name[names[0]] if all(dataset in mine for mine in datasets_by_name.values())]
    if not common:
        listed = ", ".join(f"`{name}`" for name in names)
        raise OutscoreError(f"No dataset has files for all of {listed}.", f"{DATASET} must have the same value in all names.")
    others = dict.fromkeys(dataset for mine in datasets_by_name.values() for dataset in mine if dataset not in common)
    return common, [_left_out(dataset, [name for name in names if dataset not in datasets_by_name[name]]) for dataset in others]


def _left_out(dataset: str, lacking: Sequence[str]) -> str:
    return f"Dataset `{dataset}` was left out: it has no file for {', '.join(f'`{name}`' for name in lacking)}."


def _datasets_of(written: str) -> list[str]:
    """The values of ``{dataset}`` that have a file, in the order of file names."""
    first, *rest = (fnmatch.translate(part).removeprefix("(?s:").removesuffix(r")\Z") for part in written.split(DATASET))
    # The value must be the same everywhere.
    pattern = re.compile(first + "([^/]+?)" + r"\1".join(rest), re.DOTALL)
    matches = (pattern.fullmatch(file) for file in sorted(glob.glob(written.replace(DATASET, "*"))))  # noqa: PTH207
    return list(dict.fromkeys(match[1] for match in matches if match is not None))


def called_by(written: Sequence[str]) -> list[str]:
    """The names of systems whose files have these names or match these patterns.

    Examples
    --------
    >>> called_by(["new-*.txt", "old-*.txt"]), called_by(["new/{dataset}.txt", "old/{dataset}.txt"])
    (['new', 'old'], ['new', 'old'])
    >>> called_by(["{dataset}.new", "{dataset}.old"]), called_by(["new.{dataset}.txt", "old.{dataset}.txt"])
    (['new', 'old'], ['new', 'old'])
    """
    return distinct_names(_without_dataset([_without_wildcards(name) for name in written]))


def _without_dataset(names: Sequence[str]) -> list[str]:
    """Names without ``{dataset}`` and its separators; the folder instead if all file names become the same."""
    paths = [Path(re.sub(r"[._-]*" + re.escape(DATASET), "", name)) for name in names]
    plain = [path.with_name(path.name.lstrip("._-")) if path.name.lstrip("._-") else path for path in paths]
    same = len({path.name for path in plain}) == 1 and any(DATASET in Path(name).name for name in names)
    shortened = [path.parent if same and path.parent.name else path for path in plain]
    # If nothing is left, the pattern itself is the name; others stay as they were written.
    return [str(path) if DATASET in name and path.name else name for path, name in zip(shortened, names, strict=True)]


def _without_wildcards(path: str) -> str:
    """What the files of a pattern have in common, `new.txt` for `new-*.txt`; the pattern itself if that is not a name."""
    if Path(path).exists():
        return path
    plain = WILDCARDS.sub(r"\1", path)
    return path if Path(plain).name.startswith(".") or not Path(plain).name else plain
