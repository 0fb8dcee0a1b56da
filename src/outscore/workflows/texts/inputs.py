"""From the files that a request names to systems, their runs, references and labels; one name may match several files."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.base.source import runs_in
from outscore.formats.segments import REFERENCE, SYSTEM, Segments, TextFile, read_segments
from outscore.formats.texts import read_texts
from outscore.results.note import Note
from outscore.scores.system import Origin
from outscore.workflows.names import distinct_names
from outscore.workflows.requests import shared
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.texts.labels import (
    LENGTH,
    LENGTH_COLUMN,
    Labels,
    datasets_of_segments,
    labels_of_segments,
    named_buckets,
)
from outscore.workflows.texts.statistics import Texts, in_order_of, side_by_side, source_of

if TYPE_CHECKING:
    from outscore.workflows.requests.rank import RankRequest, ScoreRequest

# Names that match several files: wildcards for the runs of a system, ``{dataset}`` for the test sets.


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


# From the files that a request names to systems, their runs, references and labels: the same for two systems and for many.
#
# Each named file is a system, and a quoted pattern matches the runs of one. A table, or a WMT XML file, may contain several
# systems and their references; it is read once, whatever it is named for. If names contain ``{dataset}``, every test set
# has its own files, whose systems, references and labels are concatenated.


WITHOUT_COLUMNS = ("segments", "sgml", "xml")
"""Formats of texts that are no tables."""


Key = tuple[int, str]
"""A system of one test set: the position of its file among those named, and the name that the file gives it."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What the files of one test set contain: runs by system, references, labels of the segments, and notes on the files.

    `labels` are keyed by the name of their file.
    """

    systems: Mapping[Key, Sequence[Segments]]
    references: Sequence[Segments]
    documents: Labels | None
    datasets: Labels | None
    labels: Mapping[str, Labels]
    source: Segments | None
    notes: Sequence[str]


class _Opened:
    """Files that were read, each once."""

    def __init__(self, reader: str, columns: Mapping[str, str], command: Callable[[Mapping[str, str]], str] | None) -> None:
        self.reader, self.columns, self.command = reader, columns, command
        self.files: dict[str, TextFile] = {}
        self.labels: dict[str, Segments] = {}
        self.parts: dict[str, set[str]] = {}
        """What the files are named for: outputs, references or both."""

    def text(self, path: str) -> TextFile:
        if path not in self.files:
            parts = self.parts.get(path, set())
            # A table of references need not have the column of outputs, nor the other way round.
            optional = {part for part in (SYSTEM, REFERENCE) if part not in parts}
            optional |= set() if SYSTEM in parts else {"system"}
            command = None if self.command is None else partial(self._propose, self.command)
            self.files[path] = read_texts(path, reader=self.reader, columns=self.columns, optional=optional, command=command)
            self._refuse_columns_of_lines(self.files[path], parts)
        return self.files[path]

    def _refuse_columns_of_lines(self, file: TextFile, parts: set[str]) -> None:
        """Refuse a column that is named for a file without columns."""
        named = next((part for part in self.columns if part in parts), None)
        if named is not None and file.origin.format in WITHOUT_COLUMNS:
            what = f"--text-column {named}={self.columns[named]}"
            raise OutscoreError(
                f"{file.origin.label} is not a table, so {what} names no column of it.",
                "Leave the option out, or give a table with a header, such as CSV or JSON lines.",
                parameter="text_column",
            )

    def _propose(self, command: Callable[[Mapping[str, str]], str], path: str, candidates: Sequence[str]) -> str:
        """A command that names columns of a table: references usually come first and outputs last."""
        free = [name for name in candidates if name not in self.columns.values()]
        # A table that is named for both needs both, whichever file is read first.
        needed = self.parts.get(path, set()).union(*(parts for parts in self.parts.values() if len(parts) > 1))
        parts = [part for part in (REFERENCE, SYSTEM) if part in needed and part not in self.columns]
        places = {REFERENCE: 0, SYSTEM: -1}
        proposed = {part: free[places[part]] for part in parts[: len(free)]}
        return command({**self.columns, **proposed})

    def refuse_columns_of_nothing(self) -> None:
        """Refuse named columns if no file is a table."""
        if self.columns and all(file.origin.format in WITHOUT_COLUMNS for file in self.files.values()):
            named = " ".join(f"--text-column {part}={column}" for part, column in self.columns.items())
            raise OutscoreError(
                f"No file is a table, so {named} names no column.", "Leave the option out.", parameter="text_column"
            )

    def label(self, path: str) -> Segments:
        if path not in self.labels:
            self.labels[path] = read_segments(path)
        return self.labels[path]

    def origins(self, references: Sequence[str]) -> list[Origin]:
        """The files; with the columns of ids if segments were matched by them, which the last reference has to have."""
        origins = [file.origin for file in self.files.values()]
        systems = [path for path, parts in self.parts.items() if SYSTEM in parts]
        last = self.files[references[-1]]
        if last.held.keys is None or all(self.files[path].held.keys is None for path in systems):
            said = [{part: names for part, names in origin.columns.items() if part != "item"} for origin in origins]
            origins = [replace(origin, columns=columns) for origin, columns in zip(origins, said, strict=True)]
        return [*origins, *(text.origin for text in self.labels.values() if text.origin is not None)]

    @property
    def notes(self) -> list[str]:
        return [note for file in self.files.values() for note in file.held.notes]


def read_text_files(request: TextsRequest | RankRequest | ScoreRequest, *, proposes: bool = True) -> Texts:
    """The systems, references and labels that a request names.

    The documents, the dataset and buckets are in files with a label per line; the first two may also be named by a file of
    texts that contains the labels of its segments. A refusal `proposes` the same command with columns named.
    """

    def command(columns: Mapping[str, str]) -> str:
        return request.command_line(text_column=columns)

    buckets, source = (request.buckets, request.source) if isinstance(request, TextsRequest) else ((), None)
    documents, dataset, files, reference = request.documents_of_texts(), request.dataset, request.files, request.reference
    labels = [name for name in buckets if name != LENGTH]
    opened = _Opened(request.reader, request.text_column, command if proposes else None)
    further = [name for name in (documents, source) if name not in (None, shared.POOLED)]
    datasets, left_out = shared_datasets([*reference, *files, *further, *labels])
    if datasets and dataset is not None:
        message = f"--dataset is `{dataset}`, but the file names already name the dataset."
        raise OutscoreError(message, "Leave --dataset out.", parameter="dataset")
    read = partial(_read, opened, files, reference, labels, documents, source)
    parts = {name: read(None, partial(fill, dataset=name)) for name in datasets} or {"": read(dataset, str)}
    opened.refuse_columns_of_nothing()
    joined = _join_systems(parts, files, request.system)
    systems = _rename(joined, request.names) if request.names else joined
    references = _one_after_the_other({name: part.references for name, part in parts.items()}, "references")
    joined_documents, joined_datasets = _join_groups(parts)
    sources = {name: [part.source] for name, part in parts.items() if part.source is not None}
    given = _one_after_the_other(sources, "sources")[0].lines if sources else None
    of_files = {
        name: _concatenate(part.labels[fill(name, d) if datasets else name] for d, part in parts.items()) for name in labels
    }
    asked_for = [(LENGTH_COLUMN, LENGTH) if name == LENGTH else (Path(name).stem, of_files[name]) for name in buckets]
    notes = [*left_out, *opened.notes, *dict.fromkeys(note for part in parts.values() for note in part.notes)]
    return Texts(
        {name: [run.lines for run in runs] for name, runs in systems.items()},
        [text.lines for text in references],
        given or source_of([*(run for runs in systems.values() for run in runs), *references]),
        joined_documents,
        datasets_of_segments(shared.POOLED if dataset == shared.POOLED else joined_datasets, None, len(references[0])),
        named_buckets(asked_for, references[0].lines, "--buckets"),
        opened.origins([fill(reference[-1], name) for name in datasets] or reference),
        [Note("input", text) for text in notes],
    )


def _rename(systems: Mapping[str, Sequence[Segments]], names: Sequence[str]) -> dict[str, Sequence[Segments]]:
    if len(names) != len(systems):
        raise OutscoreError(
            f"--names names {len(names)} systems, but there are {len(systems)}.",
            "Give a name for each, separated by commas.",
            parameter="names",
        )
    return dict(zip(names, systems.values(), strict=True))


def _read(
    opened: _Opened,
    files: Sequence[str],
    reference: Sequence[str],
    labels_in: Sequence[str],
    documents_in: str | None,
    source_in: str | None,
    dataset: str | None,
    own: Callable[[str], str],
) -> _Part:
    """The files of one test set, with all texts in the order of the last reference; `own` makes its names of those given."""
    files, reference = [own(name) for name in files], [own(name) for name in reference]
    for part, paths in ((SYSTEM, [path for written in files for path in runs_in(written)]), (REFERENCE, reference)):
        for path in paths:
            opened.parts.setdefault(path, set()).add(part)
    systems = {(i, name): runs for i, written in enumerate(files) for name, runs in _systems(written, opened).items()}
    references = [text for path in reference for text in opened.text(path).references()]
    segments = len(references[0])
    # Before the texts are aligned, because labels of other segments may mean a wrong reference.
    labels = {path: labels_of_segments(opened.label(path), path, segments) for path in map(own, labels_in)}
    texts, notes = side_by_side([*(run for runs in systems.values() for run in runs), *references])
    documents: Labels | None = None
    datasets: Labels | None = next((text.datasets for text in texts[::-1] if text.datasets is not None), None)
    if documents_in is None:
        documents, more = _own_documents(texts)
        notes = (*notes, *more)
    elif documents_in != shared.POOLED:
        documents = labels_of_segments(_said_of(own(documents_in), "document", texts[-1], opened), "documents", segments)
    if dataset not in (None, shared.POOLED):
        datasets = labels_of_segments(_said_of(str(dataset), "dataset", texts[-1], opened), "dataset", segments)
    source = None if source_in is None else _source(opened.text(own(source_in)), texts[-1])
    rest = iter(texts)
    ordered = {key: [next(rest) for _ in runs] for key, runs in systems.items()}
    return _Part(ordered, list(rest), documents, datasets, labels, source, notes)


def _own_documents(texts: Sequence[Segments]) -> tuple[Labels | None, tuple[str, ...]]:
    """The documents that texts name, if they group segments, and what is said about them."""
    named = next((text for text in texts[::-1] if text.documents is not None), None)
    if named is None or named.documents is None:
        return None, ()
    documents = labels_of_segments(named.documents, "documents", len(named))
    size = len(set(documents))
    if size in (1, len(documents)):
        return None, ()
    said = f"Segments of one document are swapped as one, {size:,} documents of {named.label}"
    return documents, (f"{said}; --cluster none swaps single segments.",)


def _source(file: TextFile, reference: Segments) -> Segments:
    """The source text: a plain text, or the source column of a file."""
    (text, *_) = file.references() if file.held.source is None else file.sources()
    (ordered, _), _ = side_by_side([text, reference])
    return ordered


def _said_of(path: str, what: str, reference: Segments, opened: _Opened) -> Segments | tuple[str, ...]:
    """The document or dataset of each segment: a label per line, or from a file of texts that contains them."""
    if path not in opened.files:
        return opened.label(path)
    file = opened.files[path]
    (held, *_) = file.systems() if file.held.systems else file.references()
    ordered = in_order_of(held, reference)
    labels = ordered.documents if what == "document" else ordered.datasets
    if labels is None:
        raise OutscoreError(
            f"`{path}` does not say which {what} a segment belongs to.",
            f"Name a file with a {what} per line, or one with a column `{what}`.",
            parameter="documents" if what == "document" else what,
        )
    return labels


def _systems(written: str, opened: _Opened) -> dict[str, list[Segments]]:
    """The runs of the systems of one file name, by the names that the file gives them.

    A file with several systems cannot be one of several runs.
    """
    paths = runs_in(written)
    texts = [opened.text(path).systems() for path in paths]
    several = next((path for path, held in zip(paths, texts, strict=True) if len(held) > 1), None)
    if several is not None and len(paths) > 1:
        raise OutscoreError(
            f"`{several}` contains several systems, but `{written}` matches runs of a single one.", "Name the files one by one."
        )
    if several is not None:
        return {text.name: [text] for text in texts[0]}
    return {_own_name(opened.text(paths[0]), len(paths)): [held[0] for held in texts]}


def _own_name(file: TextFile, runs: int) -> str:
    """The name that a file gives its only system; empty if that is just the name of the file."""
    if runs > 1 or file.origin.format == "segments":
        return ""
    (text,) = file.systems()
    return text.name


def _join_systems(parts: Mapping[str, _Part], files: Sequence[str], chosen: Sequence[str]) -> dict[str, Sequence[Segments]]:
    """The runs of all test sets by the names of their systems; only the `chosen` ones, which every test set must have.

    `files` are the file names as they were written.
    """
    keyed = _by_key(parts)
    keys = list(dict.fromkeys(key for own in keyed.values() for key in own))
    anywhere = [next(own[key] for own in keyed.values() if key in own) for key in keys]
    named = dict(zip(_names(anywhere, files), keys, strict=True))
    for name in chosen:
        if name not in named:
            raise OutscoreError(f"There is no system `{name}`.", did_you_mean(name, named), parameter="system")
    systems: dict[str, Sequence[Segments]] = {}
    for name in chosen or named:
        _check_complete(name, named, keyed)
        runs = {dataset: parts[dataset].systems[own[named[name]]] for dataset, own in keyed.items()}
        systems[name] = _one_after_the_other(runs, f"runs of `{name}`")
    return systems


def _join_groups(parts: Mapping[str, _Part]) -> tuple[Labels | None, Labels | None]:
    """The documents and the datasets of all segments; a single test set without a name stays as it is."""
    first = next(iter(parts.values()))
    if len(parts) == 1:
        return first.documents, first.datasets
    datasets = tuple(dataset for dataset, part in parts.items() for _ in part.references[0].lines)
    documents = [part.documents for part in parts.values() if part.documents is not None]
    return _concatenate(documents) if len(documents) == len(parts) else None, datasets


def _concatenate(labels: Iterable[Labels]) -> Labels:
    return tuple(itertools.chain.from_iterable(labels))


def _by_key(parts: Mapping[str, _Part]) -> dict[str, dict[Key, Key]]:
    """The systems of each test set, by a key that identifies a system across test sets.

    The key is the position of the file and, for files of several systems, the name that the file gives the system.
    """
    several = {
        place for part in parts.values() for place, number in Counter(place for place, _ in part.systems).items() if number > 1
    }
    return {
        dataset: {(place, own if place in several else ""): (place, own) for place, own in part.systems}
        for dataset, part in parts.items()
    }


def _names(systems: Sequence[Key], files: Sequence[str]) -> list[str]:
    """Unique names: those that the files give their systems, else the names of the files."""
    own_names = [own for _, own in systems]
    paths = called_by([files[place] for place, _ in systems])
    clear = [bool(name) and own_names.count(name) == 1 for name in own_names]
    names = [name if fits else path for name, path, fits in zip(own_names, paths, clear, strict=True)]
    return paths if len(set(names)) < len(names) else names


def _check_complete(name: str, named: Mapping[str, Key], keyed: Mapping[str, Mapping[Key, Key]]) -> None:
    """Refuse a system that is missing from a test set: a mean over other test sets is not comparable."""
    lacking = next((dataset for dataset, own in keyed.items() if named[name] not in own), None)
    if lacking is None:
        return
    complete = [system for system, key in named.items() if all(key in own for own in keyed.values())]
    cure = f"Use --system to choose from the systems that all datasets have: {', '.join(complete)}." if complete else ""
    raise OutscoreError(
        f"System `{name}` has no text in dataset `{lacking}`.", cure or "Give texts of every system on all datasets."
    )


def _one_after_the_other(parts: Mapping[str, Sequence[Segments]], what: str) -> list[Segments]:
    """The texts of the test sets concatenated: all first texts, all second texts, and so on."""
    counts = {dataset: len(texts) for dataset, texts in parts.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{count} in `{dataset}`" for dataset, count in counts.items())
        raise OutscoreError(f"The datasets have different numbers of {what}: {listed}.", "Give the same number for each.")
    rows = zip(*parts.values(), strict=True)
    return [texts[0] if len(texts) == 1 else _joined(list(parts), texts) for texts in rows]


def _joined(datasets: Sequence[str], texts: Sequence[Segments]) -> Segments:
    sources = [text.source for text in texts]
    return Segments(
        texts[0].name,
        tuple(line for text in texts for line in text.lines),
        source=None if None in sources else tuple(line for source in sources if source is not None for line in source),
        datasets=tuple(dataset for dataset, text in zip(datasets, texts, strict=True) for _ in text.lines),
    )
