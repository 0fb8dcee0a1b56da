"""A pytest plugin: tests that fail where a candidate is worse than a baseline.

Installed with outscore, pytest finds it by itself:

    def test_the_new_prompt(assert_not_worse):
        assert_not_worse("baseline.csv", "candidate.csv", margin=0.02)

The fixture also notes the outcome in pytest's own reports; `from outscore.pytest_plugin import assert_not_worse` is the same
without it. Bad input is an error of the test, not a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import pytest

from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results.gate import GateResult

__all__ = ["assert_not_worse"]

Treatment = Literal["skip", "fail", "pass"]


def assert_not_worse(
    baseline: object,
    candidate: object = None,
    *,
    margin: float,
    inconclusive: Treatment = "skip",
    **options: Any,  # noqa: ANN401 - as `outscore.gate` takes them
) -> GateResult:
    """Fail the test where the candidate is worse than the baseline, and no more than a margin is shown to be kept.

    Parameters
    ----------
    baseline, candidate, margin, options
        As in `outscore.gate`.
    inconclusive
        What becomes of a test where nothing is shown: it is skipped with the reason, fails, or passes.

    Examples
    --------
    >>> assert_not_worse([1, 0, 1, 1] * 50, [1, 0, 1, 1] * 50, margin=0.02).outcome
    'pass'
    """
    from outscore.api import gate

    if inconclusive not in ("skip", "fail", "pass"):
        raise OutscoreError(
            f"`inconclusive` is {inconclusive!r}.", "Choose one of: skip, fail, pass.", parameter="inconclusive"
        )
    found = gate(baseline, candidate, margin=margin, **options)
    undecided = found.outcome == "inconclusive"
    if found.outcome == "fail" or (undecided and inconclusive == "fail"):
        pytest.fail(found.verdict, pytrace=False)
    if undecided and inconclusive == "skip":
        pytest.skip(found.verdict)
    return found


@pytest.fixture(name="assert_not_worse")
def _noted(request: pytest.FixtureRequest) -> Callable[..., GateResult]:
    """`assert_not_worse`, which notes the outcome in pytest's reports."""

    def asserted(*given: object, **options: Any) -> GateResult:  # noqa: ANN401 - as above
        told = "not decided"
        try:
            found = assert_not_worse(*given, **options)
            told = found.verdict
        except (pytest.fail.Exception, pytest.skip.Exception) as outcome:
            told = str(outcome.msg)
            raise
        finally:
            # What `record_property` does, without a warning where the reports are of the newer kind.
            request.node.user_properties.append(("outscore", told))
        return found

    return asserted
