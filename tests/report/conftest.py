from __future__ import annotations

import pytest
from tests.report.making import make_full


@pytest.fixture
def full():
    """Every part of a comparison, in a result; changes may be given by name."""
    return make_full
