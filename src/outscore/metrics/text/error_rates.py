"""Word and character error rate as jiwer computes them: hits, substitutions, deletions and insertions of each segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, load, version

COLUMNS = ("hits", "substitutions", "deletions", "insertions")
NO_PUNCT = Option("no_punct", bool, False, "ignore punctuation")


def _align(name: str, hypotheses: Lines, references: References, options: Options) -> Foreign:
    """Jiwer's output for all segments at once; empty lines are legal on both sides."""
    jiwer = load("jiwer", name)
    steps = [jiwer.ToLowerCase()] if options["lowercase"] else []
    steps += [jiwer.RemovePunctuation()] if options["no_punct"] else []
    if name == "wer":
        steps += [jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()]
    else:
        steps += [jiwer.Strip(), jiwer.ReduceToListOfListOfChars()]
    process = jiwer.process_words if name == "wer" else jiwer.process_characters
    transform = jiwer.Compose(steps)
    return process(list(references[0]), list(hypotheses), reference_transform=transform, hypothesis_transform=transform)


def _counts(chunks: Iterable[Foreign]) -> tuple[int, int, int, int]:
    """One segment's alignment, counted."""
    edits: Counter[str] = Counter()
    for chunk in chunks:
        # Only an insertion has no length in the reference.
        edits[chunk.type] += max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
    return edits["equal"], edits["substitute"], edits["delete"], edits["insert"]


def _entry(name: str, summary: str, formula: str) -> TextMetric:
    def statistics(hypotheses: Lines, references: References, options: Options, prepared: object = None) -> Array:
        del prepared
        rows = [_counts(chunks) for chunks in _align(name, hypotheses, references, options).alignments]
        return np.array(rows, dtype=np.int64)

    def library_rows(hypotheses: Lines, references: References, options: Options) -> Array:
        pairs = zip(hypotheses, references[0], strict=True)
        alone = [_align(name, [line], [[other]], options) for line, other in pairs]
        return np.array([[getattr(found, kind) for kind in COLUMNS] for found in alone], dtype=np.int64)

    def signature(options: Options, references: int | str) -> str:
        case, punctuation = "lc" if options["lowercase"] else "mixed", "no" if options["no_punct"] else "yes"
        return f"{name.upper()}|nrefs:{references}|case:{case}|punct:{punctuation}|jiwer:{version('jiwer', name)}"

    def parts(options: Options, totals: Array) -> dict[str, float]:
        """Each kind of error per word or character of the reference."""
        del options
        size = max(float(totals[:3].sum()), 1.0)
        return {kind: float(totals[i]) / size for i, kind in enumerate(COLUMNS) if i}

    return TextMetric(
        name=name,
        parts=parts,
        label=name.upper(),
        summary=summary,
        formula=formula,
        direction="lower",
        unit="fraction",
        library="jiwer",
        statistics=statistics,
        # (S + D + I) / (H + S + D): errors per unit of the reference.
        make=lambda _: AdditiveMetric(
            name,
            COLUMNS,
            direction="lower",
            ratio=((0, 1, 1, 1), (1, 1, 1, 0)),
            bounds=(0.0, None),
            emptied=((0, 0, 1, 0), (0, 0, 1, 0), (0, 0, 1, 0), (0, 0, 0, 0)),  # everything is deleted
        ),
        signature=signature,
        corpus_score=lambda hypotheses, references, options: float(
            getattr(_align(name, hypotheses, references, options), name)
        ),
        options=(sacre.LOWERCASE, NO_PUNCT),
        max_references=1,
        library_rows=library_rows,
    )


ENTRIES = (
    _entry("wer", "word errors per word of the reference", r"\frac{\text{edits}}{\text{words of the reference}}"),
    _entry(
        "cer",
        "character errors per character of the reference, spaces included",
        r"\frac{\text{edits}}{\text{characters of the reference}}",
    ),
)
