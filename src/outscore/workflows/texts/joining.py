"""Test sets one after the other: systems, references and labels of all of them, each with its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.texts.segments import Segments
from outscore.workflows.texts.buckets import Labels
from outscore.workflows.texts.patterns import called_by

__all__ = ["Part", "PartSystem", "Whole", "join"]


@dataclass(frozen=True, eq=False)
class PartSystem:
    """A system in one test set: the place of its file among those named, the name the file gives it, and its runs."""

    place: int
    own: str
    runs: Sequence[Segments]


@dataclass(frozen=True, eq=False)
class Part:
    """What the files of one test set hold, segment by segment side by side."""

    systems: Sequence[PartSystem]
    references: Sequence[Segments]
    documents: Labels | None = None
    datasets: Labels | None = None
    labels: Sequence[Labels] = ()
    notes: Sequence[str] = ()
    source: Segments | None = None


@dataclass(frozen=True, eq=False)
class Whole:
    """All test sets: runs by the name of their system, and the dataset of each segment where there are several."""

    systems: Mapping[str, Sequence[Segments]]
    references: Sequence[Segments]
    documents: Labels | None
    datasets: Labels | None
    labels: Sequence[Labels]
    source: Segments | None = None


Key = tuple[int, str]


def join(parts: Mapping[str, Part], files: Sequence[str], chosen: Sequence[str]) -> Whole:
    """Test sets by name, put one after the other; `chosen` systems of them, which all have to have.

    A single test set without a name stays as it is. `files` are the names that systems were asked for by.
    """
    keyed = _by_key(parts)
    keys = list(dict.fromkeys(key for mine in keyed.values() for key in mine))
    anywhere = [next(mine[key] for mine in keyed.values() if key in mine) for key in keys]
    named = dict(zip(_names(anywhere, files), keys, strict=True))
    for name in chosen:
        if name not in named:
            raise OutscoreError(f"There is no system `{name}`.", did_you_mean(name, named), parameter="system")
    systems: dict[str, Sequence[Segments]] = {}
    for name in chosen or named:
        _check_complete(name, named, keyed)
        systems[name] = _one_after_the_other({d: mine[named[name]].runs for d, mine in keyed.items()}, f"runs of `{name}`")
    references = _one_after_the_other({d: part.references for d, part in parts.items()}, "references")
    first = next(iter(parts.values()))
    documents, datasets = first.documents, first.datasets
    if len(parts) > 1:
        datasets = tuple(dataset for dataset, part in parts.items() for _ in part.references[0].lines)
        if documents is not None:
            documents = tuple(label for part in parts.values() for label in part.documents or ())
    labels = [tuple(label for part in parts.values() for label in part.labels[i]) for i in range(len(first.labels))]
    sources = {dataset: [part.source] for dataset, part in parts.items() if part.source is not None}
    (source,) = _one_after_the_other(sources, "sources") if sources else [None]
    return Whole(systems, references, documents, datasets, labels, source)


def _by_key(parts: Mapping[str, Part]) -> dict[str, dict[Key, PartSystem]]:
    """The systems of each test set, by what makes them the same in all of them.

    That is the name that was written and, where it stands for files of several systems, the name that the file gives them.
    """
    several = {s.place for part in parts.values() for s in part.systems if sum(t.place == s.place for t in part.systems) > 1}
    return {
        dataset: {(s.place, s.own if s.place in several else ""): s for s in part.systems} for dataset, part in parts.items()
    }


def _names(systems: Sequence[PartSystem], files: Sequence[str]) -> list[str]:
    """Names that differ: those the files give their systems, else those of the files."""
    own = [system.own for system in systems]
    paths = called_by([files[system.place] for system in systems])
    clear = [bool(name) and own.count(name) == 1 for name in own]
    called = [name if fits else path for name, path, fits in zip(own, paths, clear, strict=True)]
    return paths if len(set(called)) < len(called) else called


def _check_complete(name: str, named: Mapping[str, Key], keyed: Mapping[str, Mapping[Key, PartSystem]]) -> None:
    """Refuse a system that a test set lacks: a mean over other test sets is another number."""
    lacking = next((dataset for dataset, mine in keyed.items() if named[name] not in mine), None)
    if lacking is None:
        return
    complete = [other for other, key in named.items() if all(key in mine for mine in keyed.values())]
    cure = f"Choose from those that all datasets have with --system: {', '.join(complete)}." if complete else ""
    raise OutscoreError(f"System `{name}` has no text in dataset `{lacking}`.", cure or "Give every system all datasets.")


def _one_after_the_other(parts: Mapping[str, Sequence[Segments]], what: str) -> list[Segments]:
    """Several texts of each test set, the first with the first and so on."""
    counts = {dataset: len(texts) for dataset, texts in parts.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{count} in `{dataset}`" for dataset, count in counts.items())
        raise OutscoreError(f"The datasets have different numbers of {what}: {listed}.", "Give each of them as many.")
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
