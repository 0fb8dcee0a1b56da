"""What travels between processes: work and outcomes, packed here and unpacked there."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from outscore.core.errors import OutscoreError

__all__ = ["Outcome", "loaded", "outcome", "packed"]

Outcome = tuple[bool, Any]
"""Whether a task succeeded, and its result or its exception."""


def packed(value: object) -> bytes:
    """Work on its way to another process.

    Examples
    --------
    >>> loaded(packed([1, 2]))
    [1, 2]
    """
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutscoreError(
            f"Other processes cannot be given this work: {error}.",
            "Define functions at the top level of a module, or use one job.",
        ) from None


def loaded(parcel: bytes) -> Any:  # noqa: ANN401
    """Work that has arrived.

    Examples
    --------
    >>> loaded(packed(abs))(-3)
    3
    """
    try:
        return pickle.loads(parcel)  # noqa: S301 - our own main process wrote it
    except (AttributeError, ImportError) as error:
        raise OutscoreError(
            f"A worker process cannot load its work: {error}.",
            "Define functions in a module that can be imported, not in a script or notebook, or use one job.",
        ) from None


def outcome(function: Callable[[], Callable[[Any], Any]], task: bytes) -> bytes:
    """The pickled outcome of one task; an exception that cannot travel is sent as its text.

    Examples
    --------
    >>> pickle.loads(outcome(lambda: abs, packed(-3)))
    (True, 3)
    """
    try:
        return pickle.dumps((True, function()(loaded(task))))
    except OutscoreError as error:
        return pickle.dumps((False, error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is raised in the main process
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        with suppress(Exception):
            parcel = pickle.dumps((False, error))
            pickle.loads(parcel)  # noqa: S301 - some exceptions can be pickled, but not loaded again
            return parcel
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
