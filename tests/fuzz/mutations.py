"""Ways to damage a file, as disks, editors, exporters and other people's scripts do."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

LONG = 200_000
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
NUMBERS = (
    b"nan", b"inf", b"-inf", b"", b"-", b"1e308", b"-1.7e308", b"1e-320", b"9007199254740993", b"18446744073709551616",
    b"1" * 400, b"0" * 400 + b"1", b"9" * 5_000, b"0x10", b"1_000", b"1,5", b"50%", b"-0", b"true", b"null", "٣".encode(),
    b"1e999",
)  # fmt: skip
PIECES = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b'"', b"'", b"\t", b",", b";", b"{", b"[", b"}", b"\\", b"(",
    b"#",
    "\u2028".encode(), "\u202e".encode(), "\u00a0".encode(), b"\x1b[31m", b"=1+1", b"`", b"%s{0}", b"None", b"0b1", b"B-",
    b"(0", b"*",
    b"x" * LONG, b"7" * LONG, b'"' + b"q" * LONG, b"[" * LONG, b'{"a":' * LONG, b"1," * LONG, b"w " * LONG, b"\n" * 3_000,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2, 10**30, -1e308, 1e-320, 0.5, "", "x", "x" * LONG, [], {}, [None], {"a": 1}, [[]], [0.1] * 3,
)  # fmt: skip
Mutation = Callable[[bytes, random.Random], bytes]


def mutate(content: bytes, rng: random.Random) -> bytes:
    """The content with one to three kinds of damage."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(MUTATIONS)(content, rng)
    return content


def _flip_bit(content: bytes, rng: random.Random) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _with_lines(change: Callable[[list[bytes], random.Random], None]) -> Mutation:
    def mutation(content: bytes, rng: random.Random) -> bytes:
        lines = content.split(b"\n")
        change(lines, rng)
        return b"\n".join(lines)

    return mutation


def _with_fields(change: Callable[[list[bytes], random.Random], None]) -> Mutation:
    def mutation(content: bytes, rng: random.Random) -> bytes:
        parts = re.split(rb"([\s,;])", content)
        change(parts, rng)
        return b"".join(parts)

    return mutation


def _delete(parts: list[bytes], rng: random.Random) -> None:
    del parts[rng.randrange(len(parts))]


def _double(parts: list[bytes], rng: random.Random) -> None:
    at = rng.randrange(len(parts))
    parts.insert(at, parts[at])


def _swap(parts: list[bytes], rng: random.Random) -> None:
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[i], parts[j] = parts[j], parts[i]


def _insert(parts: list[bytes], rng: random.Random) -> None:
    parts.insert(rng.randrange(len(parts) + 1), rng.choice(PIECES))


def _replace(parts: list[bytes], rng: random.Random) -> None:
    parts[rng.randrange(len(parts))] = rng.choice(PIECES)


def _replace_number(content: bytes, rng: random.Random) -> bytes:
    found = list(NUMBER.finditer(content))
    if not found:
        return content
    place, number = rng.choice(found), rng.choice(NUMBERS)
    return content[: place.start()] + number + content[place.end() :]


def _replace_all_numbers(content: bytes, rng: random.Random) -> bytes:
    """The same odd number everywhere: sums and squares of large numbers overflow."""
    number = rng.choice(NUMBERS)
    return NUMBER.sub(number, content, count=rng.choice((3, 0)))


def _change_line_ends(content: bytes, rng: random.Random) -> bytes:
    return content.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"", b" \n", b"\x0b")))


def _change_separators(content: bytes, rng: random.Random) -> bytes:
    return content.replace(rng.choice((b",", b"\t", b" ", b";")), rng.choice((b",", b"\t", b" ", b";", b"")))


def _recode(content: bytes, rng: random.Random) -> bytes:
    return content.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32")))


def _double_file(content: bytes, rng: random.Random) -> bytes:
    del rng
    return content + content


def _change_json(content: bytes, rng: random.Random) -> bytes:
    """One value of a JSON document removed, replaced or put in the place of another."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):  # an earlier mutation may have nested it too deeply
        return content
    places = list(_places(data))
    if not places:
        return content
    holder, key = rng.choice(places)
    match rng.randrange(4):
        case 0:
            del holder[key]
        case 1:
            holder[key] = rng.choice(VALUES)
        case 2:
            other, name = rng.choice(places)
            holder[key] = other[name]
        case _ if isinstance(holder[key], str):
            holder[key] += "x"
        case _ if isinstance(holder[key], list):
            holder[key] = holder[key] * 2
        case _:
            holder[key] = rng.choice(VALUES)
    return json.dumps(data, check_circular=False).encode() if not _is_circular(data) else content


def _places(data: Any) -> Any:
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from _places(data[key])


def _is_circular(data: Any) -> bool:
    try:
        json.dumps(data)
    except ValueError:
        return True
    return False


MUTATIONS: tuple[Mutation, ...] = (
    _flip_bit,
    _flip_bit,
    _cut,
    _with_lines(_delete),
    _with_lines(_double),
    _with_lines(_swap),
    _with_lines(_insert),
    _with_fields(_delete),
    _with_fields(_double),
    _with_fields(_swap),
    _with_fields(_insert),
    _with_fields(_replace),
    _replace_number,
    _replace_number,
    _replace_all_numbers,
    _change_line_ends,
    _change_separators,
    _recode,
    _double_file,
    _change_json,
    _change_json,
    _change_json,
)
