"""Refusals in the words of a form: who never saw a command line knows a setting by its label.

The library names its parameters (`unit_size`) and the command line its options (--unit-size); on the page both are “Unit size”.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from outscore.web.forms.fields import Field

__all__ = ["in_words_of"]

OPTION = r"(?P<open>'?)--(?P<option>[a-z][a-z-]*)(?P=open)(?: (?:NAME|FILE|COLUMN)\b)?"
# An option is often said twice (--system NAME --system NAME), or with what it is called in Python.
NAMED = re.compile(
    rf"{OPTION}(?: --(?P=option)(?: NAME)?)*(?: \(\w+=[\w.]+ in Python\))?"
    r"|(?P<own>\bOption )?(?P<before>\b\w+ )?`(?P<name>[a-z][\w.-]*)`"
)
SEE = re.compile(r" See `outscore [a-z]+ --help`\.")
# What stands behind these is the name of something else, even where a setting has the same.
OTHER_THINGS = "column criterion cluster correction dataset document file files item label mean metric setting system task test"


def in_words_of(
    fields: Iterable[Field], said: str, others: Collection[str] = (), files: Collection[str] = ()
) -> tuple[str, str | None]:
    """A refusal with every setting called by its label, and the name of the first one.

    `others` are names that are no settings: columns, systems, values. A refusal that names one of `files` speaks of what stands
    there, so that only the options of its cure are settings.

    Examples
    --------
    >>> size = Field("unit-size", "Unit size", "Items per evaluation unit.", "whole", "units", 1)
    >>> in_words_of([size], "`unit_size` is 0. Give a whole number from 1 up.")
    ('“Unit size” is 0. Give a whole number from 1 up.', 'unit-size')
    >>> in_words_of([size], "`x.csv` has `id` and `unit_size`. Leave --unit-size out.", files=["x.csv"])
    ('`x.csv` has `id` and `unit_size`. Leave “Unit size” out.', 'unit-size')
    """
    listed = list(fields)
    plain = {name: one for one in listed for name in (one.name, one.name.replace("-", "_"))}
    # `metric.meteor.alpha` is an option of a metric, and not the level of the decision.
    own = {one.name.rpartition(".")[2]: one for one in reversed(listed) if "." in one.name}
    found: list[str] = []
    of_files = any(f"`{file}`" in said for file in files)

    def spoken(match: re.Match[str]) -> str:
        name = match["option"] or match["name"]
        before = match["before"] or ""
        is_data = of_files or before.strip().lower() in OTHER_THINGS.split() or name in others
        one = {**plain, **own}.get(name) if match["own"] else {**own, **plain}.get(name)
        if one is None or (match["option"] is None and is_data):
            return match[0]
        found.append(one.name)
        return f"{before}“{one.label}”"

    text = NAMED.sub(spoken, SEE.sub("", said))
    return text, found[0] if found else None
