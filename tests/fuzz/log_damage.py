"""Ways to damage a log: every field of every file with a wrong value, archives cut and emptied, rows and files doubled."""

from __future__ import annotations

import copy
import io
import json
import math
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.log_files import zstd_archive

GONE = object()
DEEP, DEEPER = "(deep)", "(deeper)"
"""Stand for lists in lists, which Python can neither write nor read."""
NESTED = {DEEP: 900, DEEPER: 20_000}
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 2, 10**30, 10**400, 0.5, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf,
    "", "x", "1", "nan", "1e999", "\ud800", "\x00", [], {}, [None], [[]], [{}], ["x"], {"": None}, {"a": 1}, DEEP, DEEPER,
    GONE,
)  # fmt: skip
CUTS = 24
# Of a list the first element is damaged, which readers may take for the shape of all, and one of the others.
ELEMENTS = (0, 5)
LISTED = 8
Content = Callable[[], bytes]


class Damage(NamedTuple):
    """A file of a folder with other bytes, or without it where there are none; `what` says what was done."""

    what: str
    file: Path
    content: Content | None


def damages(folder: Path) -> list[Damage]:
    """All damages to the files of the first system below a folder, to be done one at a time."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "birch" not in path.as_posix())
    found = []
    for file in files:
        whole = file.read_bytes()
        found.append(Damage("deleted", file, None))
        found += [Damage(what, file, content) for what, content in (*_of_bytes(whole), *_inside(file, whole))]
    return found


def some(damaged: list[Damage], count: int, name: str) -> list[Damage]:
    """A part of the damages, drawn by a seed, so that the same are drawn again."""
    return random.Random(name).sample(damaged, min(count, len(damaged)))  # noqa: S311 - no secret


def _of_bytes(whole: bytes) -> Iterator[tuple[str, Content]]:
    step = max(1, len(whole) // CUTS)
    for at in range(0, len(whole), step):
        yield f"cut at {at}", partial(lambda end: whole[:end], at)
        yield f"bits at {at}", partial(_flipped, whole, at)
    yield "twice", lambda: whole + whole
    yield "white space", lambda: b" \n\n\t \n"
    yield "brackets", lambda: b"[" * 200_000


def _flipped(whole: bytes, at: int) -> bytes:
    return whole[:at] + bytes([whole[at] ^ 0b101]) + whole[at + 1 :]


def _inside(file: Path, whole: bytes) -> Iterator[tuple[str, Content]]:
    if file.suffix == ".eval":
        yield from _of_archive(whole)
    elif file.suffix == ".jsonl" or file.stem.startswith("BFCL"):
        yield from _of_lines(whole.splitlines(keepends=True))
    elif file.suffix == ".parquet":
        yield from _of_table(whole)
    elif not whole.startswith((b"{", b"[")):
        yield from _of_fields(whole.splitlines(keepends=True))
    else:
        yield from _of_document(json.loads(whole))


def _of_document(data: Any) -> Iterator[tuple[str, Content]]:
    """A JSON document with one value replaced, removed or doubled."""
    for path in _paths(data):
        name = ".".join(map(str, path)) or "all"
        for value in ODD:
            shown = "gone" if value is GONE else repr(value)[:20]
            yield f"{name} = {shown}", partial(_written, data, path, value)
        found = _at(data, path)
        if isinstance(found, list) and found:
            yield f"{name} begins twice", partial(_written, data, path, [found[0], *found])
            yield f"{name} is listed twice", partial(_written, data, path, found * 2)
        if isinstance(found, dict) and found:
            yield f"{name} has a key twice", partial(_with_key_twice, data, path, found)


def _of_fields(lines: list[bytes]) -> Iterator[tuple[str, Content]]:
    """Lines of fields between white space, of which one is lost, doubled, changed or joined to another."""
    for number in (0, 1, len(lines) // 2, len(lines) - 1):
        put = partial(_with_line, lines, number)
        fields = lines[number].split()
        for place, field in enumerate(fields):
            for value in (b"", b"x", b"nan", b"1e999", b"\xff", b"\x00", field + b" " + field):
                changed = b"\t".join([*fields[:place], value, *fields[place + 1 :]]) + b"\n"
                yield f"line {number + 1}, field {place + 1} = {value!r}", partial(put, changed)
        yield f"line {number + 1} twice", partial(put, lines[number] * 2)
        yield f"line {number + 1} lost", partial(put, b"")
    yield "backwards", lambda: b"".join(reversed(lines))


def _of_lines(lines: list[bytes]) -> Iterator[tuple[str, Content]]:
    """JSON lines of which one is damaged, doubled, cut or out of place."""
    for number in (0, 1, len(lines) // 2, len(lines) - 1):
        line = lines[number]
        put = partial(_with_line, lines, number)
        for what, changed in _of_document(json.loads(line)):
            yield f"line {number + 1}, {what}", partial(lambda put, changed: put(changed() + b"\n"), put, changed)
        yield f"line {number + 1} twice", partial(put, line + line)
        yield f"line {number + 1} lost", partial(put, b"")
        yield f"line {number + 1} cut", partial(put, line[:-9] + b"\n")
        yield f"line {number + 1} not UTF-8", partial(put, line.replace(b"a", b"\xff"))
    yield "backwards", lambda: b"".join(reversed(lines))
    yield "carriage returns", lambda: b"".join(line.replace(b"\n", b"\r\n") for line in lines)
    yield "one line", lambda: b"".join(line.replace(b"\n", b"") for line in lines)


def _with_line(lines: list[bytes], number: int, line: bytes) -> bytes:
    return b"".join([*lines[:number], line, *lines[number + 1 :]])


def _of_archive(whole: bytes) -> Iterator[tuple[str, Content]]:
    """An archive without some members, with other contents of them, or with damaged compression."""
    members = _members(whole)
    for name, data in members.items():
        rest = {other: own for other, own in members.items() if other != name}
        yield f"without {name}", partial(_packed, rest)
        yield f"{name} alone", partial(_packed, {name: data})
        yield f"{name} empty", partial(_packed, {**rest, name: b""})
        yield f"{name} not JSON", partial(_packed, {**rest, name: b"\xff\x00"})
        for what, changed in _of_document(json.loads(data)):
            yield (
                f"{name}: {what}",
                partial(lambda rest, name, changed: _packed({**rest, name: changed()}), rest, name, changed),
            )
    yield "no member", partial(_packed, {})
    start = whole.index(b"\x28\xb5\x2f\xfd")
    yield from ((f"compression at {at}", partial(_flipped, whole, start + at)) for at in range(12))
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    deflated = plain.getvalue()
    yield "deflated", lambda: deflated
    yield from ((f"deflated, cut at {at}", partial(lambda end: deflated[:end], at)) for at in range(0, len(deflated), 99))
    known, unknown = b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x08", b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x63"
    yield "unknown compression", lambda: deflated.replace(known, unknown)


def _packed(members: dict[str, bytes]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return zstd_archive(Path(folder, "new.eval"), members).read_bytes()


def _members(whole: bytes) -> dict[str, bytes]:
    """What `zstd_archive` packed."""
    import zstandard

    found = {}
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        for info in archive.infolist():
            start = info.header_offset + 30 + len(info.filename)
            data = whole[start : start + info.compress_size]
            found[info.filename] = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return found


def _of_table(whole: bytes) -> Iterator[tuple[str, Content]]:
    """A Parquet file with other columns, or with other types in them."""
    import polars as pl

    table = pl.read_parquet(io.BytesIO(whole))

    def with_column(name: str, values: list[Any], kind: Any = None) -> Content:
        return lambda: _parquet(table.with_columns(pl.Series(name, values, kind)))

    yield "no row", lambda: _parquet(table.clear())
    yield "rows twice", lambda: _parquet(pl.concat([table, table]))
    yield "first row twice", lambda: _parquet(pl.concat([table.head(1), table]))
    for name in table.columns:
        yield f"without {name}", partial(lambda name: _parquet(table.drop(name)), name)
        for value in (None, 1, "x", 0.5, [1], [None], {"id": None}, {"a": 1}, b"x"):
            yield f"{name} = {value}", with_column(name, [value] * table.height)
        inside, records = table[name].struct.fields, table[name].to_list()
        for field in inside:
            less = [{key: own for key, own in record.items() if key != field} for record in records]
            if len(inside) > 1:
                yield f"{name} without {field}", with_column(name, less)
            for value in (None, True, 1, -1, "x", "", 1e308, math.nan, math.inf, [1], [], {"a": None}, b"x"):
                yield f"{name}.{field} = {value}", with_column(name, [{**record, field: value} for record in records])
        yield f"{name} null once", with_column(name, [None, *records[1:]], table[name].dtype)


def _parquet(table: Any) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document; of long lists some elements, and of objects that are lists of items the same."""
    yield path
    if isinstance(data, dict):
        keys = list(data)
        if len(keys) > LISTED and len({type(value) for value in data.values()}) == 1:
            keys = [keys[index] for index in ELEMENTS]
        for key in keys:
            yield from _paths(data[key], (*path, key))
    elif isinstance(data, list):
        for index in ELEMENTS:
            if index < len(data):
                yield from _paths(data[index], (*path, index))


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return [] if value is GONE else value
    new = copy.deepcopy(data)
    holder = _at(new, path[:-1])
    if value is GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return new


def _written(data: Any, path: tuple[Any, ...], value: Any) -> bytes:
    text = json.dumps(_changed(data, path, value))
    for mark, depth in NESTED.items():
        text = text.replace(f'"{mark}"', "[" * depth + "]" * depth)
    return text.encode()


def _with_key_twice(data: Any, path: tuple[Any, ...], found: dict[str, Any]) -> bytes:
    key = next(iter(found))
    doubled = f"{json.dumps(key)}: {json.dumps(found[key])}, "
    written = json.dumps(found)
    return json.dumps(_changed(data, path, "(here)")).replace('"(here)"', "{" + doubled + written[1:]).encode()
