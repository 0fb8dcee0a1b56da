"""Integer rank reduction: the basis spans the same lattice, no more and no less."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.exact.numbers import coordinates, hermite_basis

tables = st.integers(1, 4).flatmap(lambda m: st.lists(st.tuples(*[st.integers(-20, 20)] * m), min_size=1, max_size=7))


@settings(max_examples=150)
@given(rows=tables)
def test_every_vector_has_whole_coordinates(rows):
    vectors = np.array(rows)
    basis = hermite_basis(vectors)
    assert (coordinates(vectors, basis) @ basis == vectors).all()


@settings(max_examples=150)
@given(rows=tables)
def test_rank_against_numpy(rows):
    assert len(hermite_basis(np.array(rows))) == np.linalg.matrix_rank(np.array(rows, dtype=float))


@settings(max_examples=100)
@given(rows=st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=2, max_size=6))
def test_no_point_is_added(rows):
    """In the plane the cell of the lattice has the area gcd of all 2 × 2 determinants."""
    basis = hermite_basis(np.array(rows))
    if len(basis) == 2:
        area = math.gcd(*(a * d - b * c for (a, b), (c, d) in itertools.combinations(rows, 2)))
        assert abs(round(np.linalg.det(basis.astype(float)))) == area


@settings(max_examples=50)
@given(rows=tables)
def test_echelon_form_with_positive_pivots(rows):
    basis = hermite_basis(np.array(rows))
    pivots = [int(np.flatnonzero(row)[0]) for row in basis]
    assert pivots == sorted(set(pivots))
    assert all(row[p] > 0 for row, p in zip(basis, pivots, strict=True))


@pytest.mark.parametrize("columns", [1, 3])
def test_nothing_moves(columns):
    assert hermite_basis(np.zeros((4, columns), dtype=int)).shape == (0, columns)
