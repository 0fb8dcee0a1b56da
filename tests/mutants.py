"""How many small faults the tests notice: `make mutants`, which takes hours and is no part of `make test`.

A mutant is the package with one small fault: a comparison, an operator, a number or a condition changed, arguments swapped, a
statement left out. The same ones are drawn every time, and a change of the package changes few of them: so many from each
folder, and at most three from each file. Each meets the tests that run its line, the quickest files first, until one fails; one
that loops for ever or eats all memory is noticed, too. No file of the package is touched: a process that has imported the
libraries forks, and the fork compiles the fault when it imports the module.

`mutants.txt` lists those that no test can notice, each with its reason. What was found out is kept in build/mutants: a run that
was interrupted goes on where it stopped, and what survived is tried again when tests have changed.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.machinery
import json
import signal
import sys
from bisect import bisect_right
from collections import Counter
from hashlib import sha256
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

from tests.faults import Mutant, faults
from tests.trials import KEPT, ROOT, SOURCE, Chosen, digest, fingerprint, fork, map_tests, run_tests, say, write

EQUIVALENT = ROOT / "tests" / "mutants.txt"
SEED = 1
# How many of each folder are drawn, how many of one file, and the share that has to be noticed where numbers come from.
DRAWN = {"exact": 42, "inference": 66, "scores": 20, "outputs": 42, "workflows": 66}
HELD, SHARE, PER_FILE = tuple(DRAWN), 0.95, 8
DRAWN |= {"formats": 30, "metrics": 15, "language": 15, "results": 8, "resampling": 8, "core": 8, "laws": 6}
# Seconds of tests that every mutant meets, and that those meet which survive them; with each file, what collecting it takes.
FEW_SECONDS, SECONDS, COLLECTING = 5.0, 60.0, 0.3
# Imported once, before forking. Neither polars nor statsmodels, which start threads when they are imported.
LIBRARIES = ["altair", "click.testing", "hypothesis.extra.numpy", "jinja2", "jiwer", "msgspec", "nltk", "rich.console", "yaml"]
LIBRARIES += ["sacrebleu", "scipy.fft", "scipy.optimize", "scipy.stats", "sklearn.metrics", "vl_convert", "zstandard"]


def every_mutant(folder: str) -> list[Mutant]:
    """All mutants of a folder of the package, or of the module of that name."""
    found = []
    for path in sorted([*SOURCE.glob(f"{folder}.py"), *(SOURCE / folder).rglob("*.py")]):
        tree = ast.parse(path.read_text("utf-8"))
        found.extend(mutant for mutant, _ in faults(path.relative_to(SOURCE).as_posix(), tree))
    return found


def draw(seed: int) -> list[Mutant]:
    """The mutants that are tried: in each folder those with the smallest digests, so that other code changes nothing."""
    drawn: list[Mutant] = []
    for folder, wanted in DRAWN.items():
        taken: Counter[str] = Counter()
        for mutant in sorted(every_mutant(folder), key=lambda mutant: sha256(f"{seed}|{mutant.name}".encode()).digest()):
            if taken[mutant.file] < PER_FILE and taken.total() < wanted:
                taken[mutant.file] += 1
                drawn.append(mutant)
    return drawn


def faulty(mutant: Mutant) -> ast.Module:
    """The module with its fault."""
    tree = ast.parse((SOURCE / mutant.file).read_text("utf-8"))
    next(make for found, make in faults(mutant.file, tree) if found.name == mutant.name)()
    return tree


def plant(file: str, tree: ast.Module) -> None:
    """From now on this process imports the module from the tree."""
    path = SOURCE / file
    module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)

    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, _fullname):
            return compile(tree, str(path), "exec", dont_inherit=True)

    class Finder:
        @staticmethod
        def find_spec(name, _folders=None, _target=None):
            if name != module:
                return None
            return importlib.machinery.ModuleSpec(name, Loader(name, str(path)), origin=str(path))

    assert module not in sys.modules
    sys.meta_path.insert(0, Finder)


def tests_of(mutant: Mutant, maps: dict[str, dict]) -> list[tuple[str, float]]:
    """The tests that run the line, with their seconds; if none is known to, those of the function, and else of the folder."""
    lines = (SOURCE / mutant.file).read_text("utf-8").splitlines()[mutant.first - 1 : mutant.last]
    prints = {fingerprint(line) for line in lines}
    near = next(f"tests/{folder}/" for folder in Path(mutant.file).parents if (ROOT / "tests" / folder).is_dir())
    by_line, by_function, by_file = {}, {}, {}
    for file, known in maps.items():
        touched = known["touched"].get(mutant.file, {})
        groups = [group for name, found in touched.items() if f"{name}.".startswith(f"{mutant.function}.") for group in found]
        by_line[file] = {test for found, running in groups if prints & set(found) for test in running}
        by_function[file] = {test for _, running in groups for test in running}
        by_file[file] = {test for found in touched.values() for _, running in found for test in running}
        if file.startswith(near):
            by_file[file] = set(range(len(known["tests"])))
    chosen = next((found for found in (by_line, by_function) if mutant.function and any(found.values())), by_file)
    by_cost = []
    for file, places in chosen.items():
        tests = sorted((maps[file]["tests"][place] for place in places), key=itemgetter(1))
        far = not file.startswith((near, f"src/outscore/{mutant.file}"))
        by_cost.append((far, sum(seconds for _, seconds in tests), [(file, COLLECTING)] if tests else [], tests))
    return [(test, seconds) for *_, head, tests in sorted(by_cost) for test, seconds in (*head, *tests)]


def meet(file: str, tree: ast.Module, tests: list[tuple[str, float]]) -> dict:
    """Whether one of the tests notices the fault, and which."""
    names = [test for test, _ in tests]

    def work(temporary: Path) -> dict:
        plant(file, tree)
        chosen = Chosen(names)
        code = run_tests([name for name in names if "::" not in name], temporary, chosen, "-x")
        # Pytest: 0 all passed, 5 nothing was left to run.
        return {"noticed": code not in (0, 5), "by": chosen.failed or "the import"}

    return fork(work, 30 + 4 * sum(seconds for _, seconds in tests))[0] or {"noticed": True, "by": "time, memory or the import"}


def try_all(mutants: list[Mutant], maps: dict[str, dict]) -> list[Mutant]:
    """Every mutant against a few seconds of tests, then those that survive against many; the survivors of these."""
    path = KEPT / "results.json"
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    of = digest(*(ROOT / file for file in maps if file.startswith("tests")))
    for seconds in (FEW_SECONDS, SECONDS):
        survivors = []
        for number, mutant in enumerate(mutants, 1):
            known, source = kept.get(mutant.name, {}), digest(SOURCE / mutant.file)
            # What was noticed stays so as long as the module is the same; what survives is tried again with other tests.
            if known.get("source") != source or not (known["noticed"] or (known["of"] == of and known["seconds"] >= seconds)):
                tests = tests_of(mutant, maps)
                spent = list(accumulate(seconds for _, seconds in tests))
                met = tests[: max(2, bisect_right(spent, seconds))]
                known = meet(mutant.file, faulty(mutant), met) if met else {"noticed": False}
                kept[mutant.name] = known | {"source": source, "of": of, "seconds": seconds}
                write(path, json.dumps(kept, indent=1, ensure_ascii=False))
                told = f"noticed by {known['by']}" if known["noticed"] else f"survives {len(met):,} of {len(tests):,} tests"
                say(f"[{number} of {len(mutants)}] {mutant.name}\n  line {mutant.first}: {told}")
            if not known["noticed"]:
                survivors.append(mutant)
        mutants = survivors
    return survivors


def equivalent_ones() -> dict[str, str]:
    """The mutants that no test can notice, by their names, with the reason on the indented lines behind."""
    found: dict[str, str] = {}
    name = ""
    for line in EQUIVALENT.read_text("utf-8").splitlines():
        if line.startswith(" "):
            found[name] = f"{found[name]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            name = line
            found[name] = ""
    return found


def tell(mutants: list[Mutant], survivors: list[Mutant], equivalent: dict[str, str]) -> int:
    """The figures of each folder, the survivors, and the code of the program."""
    for mutant in survivors:
        say(f"survives: {mutant.name} (line {mutant.first})")
    say(f"\n{'folder':<12}{'drawn':>7}{'equivalent':>12}{'noticed':>9}{'survive':>9}{'share':>9}")
    low = []
    for folder, drawn in Counter(mutant.folder for mutant in mutants).items():
        alike = sum(mutant.folder == folder and mutant.name in equivalent for mutant in mutants)
        left = sum(mutant.folder == folder for mutant in survivors)
        share = 1 - left / max(1, drawn - alike)
        low += [folder] if folder in HELD and share < SHARE else []
        say(f"{folder:<12}{drawn:>7}{alike:>12}{drawn - alike - left:>9}{left:>9}{100 * share:>7.1f}%")
    say(f"{len(mutants)} mutants; {f'below {100 * SHARE:.0f}%: ' + ', '.join(low) if low else 'enough are noticed'}.")
    return len(low)


def main() -> int:
    parser = argparse.ArgumentParser(description="How many small faults of the package the tests notice.")
    parser.add_argument("--seed", type=int, default=SEED, help="another seed draws other mutants")
    parser.add_argument("--only", default="", help="only mutants whose names contain this")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in LIBRARIES:
        importlib.import_module(name)
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a process with several threads must not be forked"
    equivalent = equivalent_ones()
    every = {mutant.name for folder in DRAWN for mutant in every_mutant(folder)}
    for name in equivalent.keys() - every:
        say(f"{EQUIVALENT.name} lists a mutant that there is no longer: {name}")
    mutants = [mutant for mutant in draw(asked.seed) if asked.only in mutant.name]
    if not mutants:
        raise SystemExit(f"No mutant is drawn whose name contains {asked.only!r}.")
    maps = map_tests()
    control = mutants[0].file
    unchanged = meet(control, ast.parse((SOURCE / control).read_text("utf-8")), tests_of(mutants[0], maps)[:50])
    if unchanged["noticed"]:
        raise SystemExit(f"{unchanged['by']} fails without any fault: let the tests pass first.")
    return tell(mutants, try_all([mutant for mutant in mutants if mutant.name not in equivalent], maps), equivalent)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted: the next run goes on from here.")
