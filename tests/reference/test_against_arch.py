"""The block bootstrap against arch 8.0.0 (pip install arch==8.0.0): automatic lengths, and how far resampled means move."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inference.asking import ask

from outscore.inference.registry import TESTS
from outscore.resampling import optimal_block_length


def series(n, rho):
    x = np.random.default_rng([n, int(100 * rho)]).normal(size=n)
    for i in range(1, n):
        x[i] += rho * x[i - 1]
    return x


# x = np.round(series(n, abs(rho)), 1) * np.sign(rho) ** np.arange(n)
# float(arch.bootstrap.optimal_block_length(x).stationary.iloc[0])
@pytest.mark.parametrize(
    ("n", "rho", "length"), [(60, 0.3, 1.6842899030432026), (200, 0.5, 7.355690837093323), (500, -0.4, 5.764904860252698)]
)
def test_optimal_block_length(n, rho, length):
    """Rounded numbers, with ties, and a series that swings."""
    x = np.round(series(n, abs(rho)), 1) * np.sign(rho) ** np.arange(n)
    assert optimal_block_length(x) == pytest.approx(length, rel=1e-10)
    chosen = ask(TESTS["block-bootstrap"], x, 0 * x, resamples=99).notes
    assert any(note.text.startswith(f"Blocks of {length:.1f} items on average, chosen from the data") for note in chosen)


# moves = arch.bootstrap.StationaryBootstrap(block, x, seed=7).apply(np.mean, 100_000)[:, 0] - x.mean()
# np.quantile(np.abs(moves), [0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    ("n", "rho", "block", "reaches"),
    [
        (60, 0.3, 1.0, (0.17868661266002875, 0.21321006067833984, 0.2795011875169153)),
        (60, 0.3, 4.0, (0.18908513884665806, 0.22416493734534065, 0.2930040655221465)),
        (200, 0.5, 4.0, (0.21516093924012866, 0.25690303433706435, 0.3347090442394309)),
        (200, 0.5, 12.0, (0.22184886605383947, 0.2631708012653124, 0.3445896798097363)),
        (200, 0.9, 12.0, (0.6391893448188917, 0.7575709985792792, 1.0456377031436033)),
    ],
)
def test_how_far_stationary_resamples_move(n, rho, block, reaches):
    """The interval is d ± q with q the 1 - α quantile of the moves; two random samples of them agree within 4%."""
    x = series(n, rho)
    for alpha, reach in zip((0.1, 0.05, 0.01), reaches, strict=True):
        found = ask(TESTS["block-bootstrap"], x, 0 * x, block_length=block, alpha=alpha).interval
        assert (found.high - found.low) / 2 == pytest.approx(reach, rel=0.04)
        assert (found.high + found.low) / 2 == pytest.approx(x.mean(), abs=1e-12)
