"""`make same`: are all numbers what they were?

    python -m tests.same                   compare the numbers of every command with the frozen ones; a difference is an error
    python -m tests.same --only WORDS      only the commands that hold these words
    python -m tests.same --update          freeze the numbers as they are now

What is frozen is a digest for each command, in tests/same/frozen.txt, so that the difference of a commit says which commands
changed. The numbers themselves are kept in build/same, outside the repository: after a run before the change, a run behind it
prints what changed number by number. Floats are compared to the last digit, which may differ between machines: this is a tool
for changing the code, not a test of the product. The real data take part where they are present.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.same.files import write_files
from tests.same.outcomes import REAL, Outcome, differences, outcome

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FROZEN = HERE / "frozen.txt"
QUESTIONS = ("compare", "rank", "score", "gate", "diff", "prefer", "plan")
SHOWN = re.compile(r"<!-- (?:run|output)(?: \d+)?: outscore (.+?) -->")


def commands() -> list[str]:
    """All of them, each once: those of the list, of the documentation and of the demonstration's own files."""
    listed = (line for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    found = [command for line in listed for command in alternatives(line)]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for shown in SHOWN.finditer(page.read_text(encoding="utf-8")):
            words = shlex.split(shown[1])
            if words[0] in QUESTIONS and "--help" not in words:
                found.append(shlex.join(_without_output(words)))
    return list(dict.fromkeys(found))


def alternatives(line: str) -> Iterator[str]:
    """The commands of a line, every choice between braces with every other.

    >>> list(alternatives("score {a | b}.csv { | --alpha .1}"))
    ['score a.csv', 'score a.csv --alpha .1', 'score b.csv', 'score b.csv --alpha .1']
    """
    parts = re.split(r"\{(.*?)\}", line)
    for chosen in itertools.product(*(part.split("|") for part in parts[1::2])):
        texts = itertools.chain.from_iterable(itertools.zip_longest(parts[::2], map(str.strip, chosen), fillvalue=""))
        yield " ".join("".join(texts).split())


def _without_output(words: list[str]) -> list[str]:
    """Without what only decides how and where the result is written."""
    kept = iter(words)
    return [word for word in kept if not (word in ("-o", "--output", "--format", "--table", "--top") and next(kept))]


def run_all(chosen: list[str]) -> Iterator[Outcome]:
    """The outcomes in order, on all processors."""
    # New processes, not copies of this one: polars does not survive being copied.
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        write_files(Path(folder))
        # A baseline is kept before anything compares with it, whichever process is faster.
        kept = {command: outcome(command, folder) for command in chosen if "--update" in command}
        found = pool.map(outcome, (command for command in chosen if command not in kept), itertools.repeat(folder))
        yield from (kept[command] if command in kept else next(found) for command in chosen)


def kept_path(command: str) -> Path:
    return ROOT / "build" / "same" / f"{hashlib.sha256(command.encode()).hexdigest()[:16]}.json"


def keep(found: Outcome) -> None:
    path = kept_path(found.command)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([found.exit_code, found.numbers]), encoding="utf-8")


def frozen() -> dict[str, str]:
    """The frozen lines by their commands."""
    if not FROZEN.exists():
        return {}
    return {line.split(maxsplit=3)[3]: line for line in FROZEN.read_text(encoding="utf-8").splitlines()}


def main(arguments: list[str]) -> int:
    """Run, compare and say what changed; 1 if anything did."""
    parser = argparse.ArgumentParser(prog="python -m tests.same")
    parser.add_argument("--only", default="", help="only commands that hold this")
    parser.add_argument("--update", action="store_true", help="freeze the numbers as they are now")
    asked = parser.parse_args(arguments)
    chosen = [command for command in commands() if asked.only in command and (REAL.exists() or "real:" not in command)]
    before, lines, changed = frozen(), [], 0
    for found in run_all(chosen):
        lines.append(found.line)
        if before.get(found.command) == found.line:
            keep(found)
            continue
        changed += 1
        print(f"changed: {found.command}" if found.command in before else f"new: {found.command}")
        kept = kept_path(found.command)
        if kept.exists():
            print(*itertools.islice(differences(Outcome(found.command, *json.loads(kept.read_text())), found), 12), sep="\n")
        if asked.update:
            keep(found)
    gone = [
        command
        for command in before
        if asked.only in command and command not in chosen and (REAL.exists() or "real:" not in command)
    ]
    print(*(f"gone: {command}" for command in gone), sep="\n", end="\n" if gone else "")
    if asked.update:
        untouched = [line for command, line in before.items() if command not in chosen and command not in gone]
        FROZEN.write_text(
            "".join(f"{line}\n" for line in sorted([*lines, *untouched], key=lambda line: line.split(maxsplit=3)[3]))
        )
    print(f"{len(chosen)} commands: {changed} changed, {len(gone)} gone.")
    return int(bool(changed or gone) and not asked.update)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
