"""What refusals propose: whole commands, and settings as the page sets them with one click. Each has to get further.

A cure may meet another problem of the same file, but not the one that it is said to cure, and no traceback.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PROPOSED = re.compile(r"`(outscore [a-z]+ [^`]*)`")
PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+\d?|.*(\.\.\.|…).*|<.*>|(\w+=)?[A-Z]{3,}\d?")
FORMS = {"compare", "rank", "score", "gate", "prefer", "plan"}


def whole_commands(said: str) -> list[list[str]]:
    """The commands in a sentence that can be run as they are: no word stands for another, and no name was cut."""
    found = []
    for command in PROPOSED.findall(said):
        try:
            words = shlex.split(command)[1:]
        except ValueError:
            continue
        given = [word for word in words if not Path(word).exists()]
        if len(words) > 1 and not any(PLACEHOLDER.fullmatch(word) for word in given):
            found.append(words)
    return found


def settings(arguments: Sequence[str], said: str) -> Iterator[list[str]]:
    """The same command with each setting that a sentence proposes and that has a value."""
    command, *rest = arguments
    if command not in FORMS or "--reference" in rest or "--config" in rest:
        return
    try:
        from outscore.web.submission import cures_in
    except ModuleNotFoundError:
        # The page needs POSIX.
        return
    for cure in cures_in(command, said, {}):
        option = f"--{cure.setting}"
        if cure.value and option not in rest:
            yield [*arguments, option] if cure.value == "true" else [*arguments, option, cure.value]


def check_cures(arguments: Sequence[str], said: str, run: Callable[..., Any]) -> int:
    """Run everything that a refusal proposes; how much that was."""
    tried = [*whole_commands(said), *settings(arguments, said)]
    first = said.partition(". ")[0]
    for words in tried:
        done = run(*words)
        again = done.stderr.partition(". ")[0]
        assert done.exit_code != 2 or again != first, f"`{shlex.join(words)}` does not cure: {said}"
    return len(tried)
