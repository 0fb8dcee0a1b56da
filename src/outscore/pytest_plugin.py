"""A pytest plugin: tests that fail where a candidate is worse than a baseline.

It is installed with outscore, and pytest finds it automatically:

    def test_the_new_prompt(assert_not_worse):
        assert_not_worse("baseline.csv", "candidate.csv", margin=0.02)

The fixture also records the outcome in pytest's own reports; `from outscore.pytest_plugin import assert_not_worse` is the same
function without the record. Bad input and errors of outscore are exceptions of the test, never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import pytest

from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.results.gate import GateResult

Treatment = Literal["skip", "fail", "pass"]


def assert_not_worse(
    baseline: object,
    candidate: object = None,
    *,
    margin: float,
    inconclusive: Treatment = "skip",
    **options: Any,  # noqa: ANN401 - as `outscore.gate` takes them
) -> GateResult:
    """Fail the test if the candidate is worse than the baseline and not shown to be within the margin.

    Parameters
    ----------
    baseline, candidate, margin, options
        As in `outscore.gate`.
    inconclusive
        What happens to the test if nothing is shown: it is skipped with the reason, fails, or passes.

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
    try:
        result = gate(baseline, candidate, margin=margin, **options)
    except AssertionError as error:
        # In a test it would look like a verdict.
        raise RuntimeError(f"outscore failed unexpectedly, so nothing was decided: {error!r}.") from error
    undecided = result.outcome == "inconclusive"
    if result.outcome == "fail" or (undecided and inconclusive == "fail"):
        pytest.fail(result.verdict, pytrace=False)
    if undecided and inconclusive == "skip":
        pytest.skip(result.verdict)
    return result


@pytest.fixture(name="assert_not_worse")
def _recording(request: pytest.FixtureRequest) -> Callable[..., GateResult]:
    """`assert_not_worse`, which also records the outcome in pytest's reports."""

    def assert_and_record(*files: object, **options: Any) -> GateResult:  # noqa: ANN401 - as above
        verdict = "not decided"
        try:
            result = assert_not_worse(*files, **options)
            verdict = result.verdict
        except (pytest.fail.Exception, pytest.skip.Exception) as outcome:
            verdict = str(outcome.msg)
            raise
        finally:
            # What `record_property` does, without its warning about the newer kind of reports.
            request.node.user_properties.append(("outscore", verdict))
        return result

    return assert_and_record
