"""The works behind the methods, kept as BibTeX: an entry to copy, and a line to read."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib.resources import files

from outscore.core.records import dataclass

__all__ = ["Work", "works"]

ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
# The letters of our file that ASCII lacks, as every version of BibTeX reads them.
LETTERS = {r"{\v{s}}": "š", r"{\v{c}}": "č", r"{\'c}": "ć", r"{\'e}": "é", r"{\o}": "ø", r"\&": "&", "--": "–"}
MAX_NAMED = 4


@dataclass(frozen=True)
class Work:
    """One entry of the bibliography: its kind and key, its fields as BibTeX has them, and the entry itself."""

    kind: str
    key: str
    fields: Mapping[str, str]
    bibtex: str

    @property
    def line(self) -> str:
        """The work as a reader wants it.

        Examples
        --------
        >>> works()["dixon1946"].line
        'Dixon, Mood (1946): The Statistical Sign Test. Journal of the American Statistical Association 41, 557–566.'
        """
        plain = {name: _plain(value) for name, value in self.fields.items()}
        title = plain["title"] + ("" if plain["title"].endswith("?") else ".")
        return f"{self._authors} ({plain['year']}): {title} {_place(self.kind, plain)}."

    @property
    def _authors(self) -> str:
        names = [_plain(name.partition(", ")[0]) for name in self.fields["author"].split(" and ")]
        return ", ".join(names) if len(names) <= MAX_NAMED else f"{names[0]} et al."


def _place(kind: str, plain: Mapping[str, str]) -> str:
    """Where the work can be found: journal, proceedings, publisher or school."""
    match kind:
        case "article":
            return f"{plain['journal']} {plain['volume']}, {plain['pages']}"
        case "inproceedings":
            return f"{plain['booktitle']}, {plain['pages']}"
        case "phdthesis":
            return f"PhD thesis, {plain['school']}"
        case "book":
            return plain["publisher"]
        case _:
            return plain["howpublished"]


def _plain(value: str) -> str:
    for tex, letter in LETTERS.items():
        value = value.replace(tex, letter)
    return re.sub(r"[{}]", "", value)


@functools.cache
def works() -> Mapping[str, Work]:
    """All works by key."""
    text = files("outscore.report.references").joinpath("works.bib").read_text(encoding="utf-8")
    return {match[2]: Work(match[1], match[2], dict(FIELD.findall(match[3])), match[0]) for match in ENTRY.finditer(text)}
