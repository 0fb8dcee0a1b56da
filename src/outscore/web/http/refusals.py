"""What a request is told when it cannot be served: always one sentence and perhaps a cure, never a traceback."""

from __future__ import annotations

from outscore.core.errors import OutscoreError

__all__ = ["RefusedError"]


class RefusedError(OutscoreError):
    """A refusal with the status it is answered with, and the name of the setting that is to blame, if it is one.

    Examples
    --------
    >>> refusal = RefusedError(404, "There is no such file.", "Upload it again.")
    >>> refusal.status, str(refusal), refusal.setting
    (404, 'There is no such file. Upload it again.', None)
    """

    def __init__(self, status: int, message: str, hint: str = "", setting: str | None = None) -> None:
        super().__init__(message, hint)
        self.status = status
        self.setting = setting
