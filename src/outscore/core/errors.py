"""The one exception a user ever sees.

Every refusal is one sentence that says what was found and what was expected, and a hint that says how to cure it.
The command line prints both on standard error and exits with 2; the library raises them as they are.
"""

from __future__ import annotations

__all__ = ["OutscoreError"]


class OutscoreError(ValueError):
    """Bad input or an impossible request.

    Examples
    --------
    >>> raise OutscoreError("`alpha` is 5.", "Give a number between 0 and 1.")
    Traceback (most recent call last):
    outscore.errors.OutscoreError: `alpha` is 5. Give a number between 0 and 1.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()
