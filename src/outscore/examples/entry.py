"""The declaration of an example, and its random numbers.

An example is generated from a seed and its own name, so that changing one does not change the others. Philox
is a counter-based generator: the same seed gives the same files on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import PurePath
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from outscore.core.records import dataclass

Floats = NDArray[np.float64]
View = Literal["compare", "texts", "score", "gate", "rank", "prefer", "diff", "plan"]
Rates = Mapping[str, float]
"""Probabilities of errors by their kinds."""
Value = str | int | float | bool | list[str]
# Options that take several values at once, after commas or as words; all others are repeated for each value.
WITH_COMMAS, WITH_SPACES = "metric", "scores"


@dataclass(frozen=True)
class Example:
    """Simulated files, what they show, and the command that shows it.

    Attributes
    ----------
    title, about
        A headline, and what there is to see with seed 0.
    parameters
        The parameters of the simulation, in one line.
    view
        The command that it is for; `texts` is `outscore compare` with references.
    files
        From a seed to the contents of the files by name.
    parts
        The names of files by the part they play: `files` are arguments, all others follow the option of that
        name, except the `gold` of a diff, which is its first argument.
    settings
        Options of the command by their long names.
    """

    title: str
    about: str
    parameters: str
    view: View
    files: Callable[[int], dict[str, str]]
    parts: Mapping[str, tuple[str, ...]]
    settings: Mapping[str, Value] = field(default_factory=dict)

    def command(self, folder: str = "") -> list[str]:
        """The arguments of `outscore` that run the example, with its files in a folder.

        Examples
        --------
        >>> from outscore.examples.registry import EXAMPLES
        >>> print(*EXAMPLES["tags"].command("here"))
        diff --task pos here/gold.conllu here/old.conllu here/new.conllu
        """
        places = {part: [str(PurePath(folder, name)) for name in names] for part, names in self.parts.items()}
        words: list[str] = ["compare" if self.view == "texts" else self.view]
        for name, value in self.settings.items():
            if value is True:
                words.append(f"--{name}")
            else:
                words += _option(name, value if isinstance(value, list) else [str(value)])
        first = places.pop("gold", []) if self.view == "diff" else []
        arguments = [*first, *places.pop("files", [])]
        return [*words, *(word for part, paths in places.items() for path in paths for word in (f"--{part}", path)), *arguments]


def _option(name: str, values: Sequence[str]) -> list[str]:
    if name == WITH_COMMAS:
        return [f"--{name}", ",".join(values)]
    if name == WITH_SPACES:
        return [f"--{name}", *values]
    return [word for value in values for word in (f"--{name}", value)]


def percent(share: float) -> str:
    """A probability in per cent."""
    return f"{100 * share:.0f}%"


def percents(rates: Rates) -> dict[str, str]:
    """Probabilities in per cent."""
    return {kind: percent(rate) for kind, rate in rates.items()}


def random_stream(name: str, seed: int) -> np.random.Generator:
    """The random generator of one example."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, *name.encode()])))


def chance_of(log_odds: Floats) -> Floats:
    """The probabilities that have these log-odds.

    Examples
    --------
    >>> chance_of(np.array([0.0, np.log(3.0)])).round(2).tolist()
    [0.5, 0.75]
    """
    return np.asarray(1.0 / (1.0 + np.exp(-log_odds)))


def draw_uniform(rng: np.random.Generator, systems: int, shape: tuple[int, ...], shared: float) -> Floats:
    """Uniform numbers for every system, (systems, *shape).

    With probability `shared` those of a row are the same for all systems, because real systems fail on the
    same words.
    """
    common, separate = rng.random(shape), rng.random((systems, *shape))
    same = rng.random(shape[0]) < shared
    return np.where(same.reshape(1, -1, *(1,) * (len(shape) - 1)), common, separate)
