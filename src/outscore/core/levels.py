"""What may be the level of a test: one check for every door through which a level comes in."""

from __future__ import annotations

from numbers import Real

from outscore.core.errors import OutscoreError

__all__ = ["check_level"]

LARGEST_LEVEL = 0.5


def check_level(name: str, level: object) -> None:
    """Refuse what is no level of a test; one above one half is a level of confidence that was mistaken for it.

    Examples
    --------
    >>> check_level("alpha", 0.05)
    """
    number = float(level) if isinstance(level, Real) else None
    shown = f"{level:g}" if isinstance(level, float) else repr(level)
    if number is None or not 0 < number < 1:
        raise OutscoreError(f"`{name}` is {shown}.", "Give a number between 0 and 1, such as 0.05.", parameter=name)
    if number > LARGEST_LEVEL:
        hint = f"The level of a test is what is left of it: give {1 - number:.6g}."
        raise OutscoreError(f"`{name}` is {shown}, which is a level of confidence.", hint, parameter=name)
