"""Work and outcomes as bytes, to send them between processes."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from outscore.core.errors import OutscoreError

__all__ = ["Outcome", "deserialize", "load_outcome", "run_serialized", "serialize"]

Outcome = tuple[bool, Any]
"""Whether a task succeeded, and its result or its exception."""


def serialize(value: object) -> bytes:
    """Work as bytes, for another process.

    Examples
    --------
    >>> deserialize(serialize([1, 2]))
    [1, 2]
    """
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutscoreError(
            f"Other processes cannot be given this work: {error}.",
            "Define functions at the top level of a module, or use one job.",
        ) from None


def deserialize(data: bytes) -> Any:  # noqa: ANN401
    """The work that another process sent.

    Examples
    --------
    >>> deserialize(serialize(abs))(-3)
    3
    """
    try:
        return pickle.loads(data)  # noqa: S301 - our own main process wrote it
    except (AttributeError, ImportError) as error:
        raise OutscoreError(
            f"A worker process cannot load its work: {error}.",
            "Define functions in a module that can be imported, not in a script or notebook, or use one job.",
        ) from None


def run_serialized(function: Callable[[], Callable[[Any], Any]], task: bytes) -> bytes:
    """Run one task; the outcome as bytes. An exception that cannot be pickled is replaced by its text.

    Examples
    --------
    >>> load_outcome(run_serialized(lambda: abs, serialize(-3)))
    (True, 3)
    """
    try:
        return pickle.dumps((True, function()(deserialize(task))))
    except OutscoreError as error:
        return pickle.dumps((False, error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any exception is raised again in the main process
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        with suppress(Exception):
            data = pickle.dumps((False, error))
            pickle.loads(data)  # noqa: S301 - some exceptions can be pickled, but not loaded again
            return data
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def load_outcome(reply: bytes) -> Outcome:
    """The outcome that `run_serialized` made; one that cannot be loaded is the failure of its task alone."""
    try:
        outcome: Outcome = pickle.loads(reply)  # noqa: S301 - our own worker wrote it
    except Exception as error:  # noqa: BLE001 - unpickling runs arbitrary constructors
        return False, error
    return outcome
