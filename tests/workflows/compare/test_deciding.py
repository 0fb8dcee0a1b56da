"""The items that made the difference: the winner's first, with how many favour each system."""

from __future__ import annotations

import numpy as np
import pytest

import outscore as osc

RNG = np.random.default_rng(11)


def answers(only_a: int, only_b: int, both: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Right or wrong: the items that only B has right come first."""
    a = np.array([0] * only_b + [1] * only_a + [1] * both)
    b = np.array([1] * only_b + [0] * only_a + [1] * both)
    return a, b


def sides(found) -> list[int]:
    return [int(np.sign(item.difference)) for item in found.deciding_items]


def test_right_or_wrong_items_of_the_winner_come_first():
    a, b = answers(32, 11)
    found = osc.compare(a, b, names=("A", "B"))
    assert found.headline == "A outscored B"
    assert found.favoured == (32, 11)
    assert sides(found) == [1] * 5 + [-1] * 5
    turned = osc.compare(b, a, names=("B", "A"))
    assert turned.favoured == (11, 32)
    assert sides(turned) == [-1] * 5 + [1] * 5


def test_without_a_winner_both_sides_take_turns_and_the_leader_begins():
    a, b = answers(32, 21)
    found = osc.compare(a, b, names=("A", "B"))
    assert found.decision.winner is None
    assert sides(found) == [1, -1] * 5


def test_a_side_with_few_items_leaves_its_places_to_the_other():
    a, b = answers(30, 2)
    assert sides(osc.compare(a, b)) == [1] * 8 + [-1] * 2
    a, b = answers(3, 0)
    assert sides(osc.compare(a, b)) == [1] * 3


def test_errors_favour_the_system_that_has_fewer():
    a, b = answers(32, 11)
    found = osc.compare(1 - a, 1 - b, names=("A", "B"), direction="lower")
    assert found.headline == "A outscored B"
    assert found.favoured == (32, 11)
    assert sides(found) == [-1] * 5 + [1] * 5


def test_the_strongest_of_each_side_come_first():
    b = RNG.normal(0, 1, 40)
    d = np.concatenate([np.linspace(0.5, 3, 30), -np.linspace(0.1, 1, 10)])
    found = osc.compare(b + d, b)
    assert [item.difference for item in found.deciding_items] == pytest.approx(
        [*sorted(d[d > 0])[::-1][:5], *sorted(d[d < 0])[:5]]
    )


def test_both_counts_are_shown_in_every_form():
    a, b = answers(32, 11)
    found = osc.compare(a, b, names=("A", "B"))
    said = "32 items favour A, 11 favour B, and 50 neither."
    for form in (found.to_text(verbose=True), found.to_markdown(verbose=True), found.to_html(), found.to_latex(verbose=True)):
        assert said in " ".join(form.split())


def test_segments_of_the_winner_come_first():
    reference = [f"one two three four five {i}" for i in range(40)]
    a = [line if i >= 8 else "x y z" for i, line in enumerate(reference)]
    b = [line if i % 4 == 0 else f"one two four five {i}" for i, line in enumerate(reference)]
    found = osc.compare_texts(a, b, reference, metrics=["chrf"], names=("A", "B")).comparisons[0]
    assert found.decision.winner == 0
    signs = [int(np.sign(segment.influence)) for segment in found.segments]
    assert signs == sorted(signs, reverse=True)
    assert signs[:5] == [1] * 5
    assert signs[-1] == -1
    text = " ".join(found.to_text(verbose=True).split())
    first, second = found.favoured
    assert f"{first} segments move chrF towards A, {second} towards B." in text
    assert first + second <= 40
