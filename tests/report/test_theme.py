"""Colours that mean different things can be told apart: by people who see fewer colours, and on paper without any."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from outscore.report.palette import PALETTE

# Machado, Oliveira and Fernandes (2009), table 1, severity 1: what linear RGB becomes to people without one kind of cone.
VISION = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)
MEANINGS = ("a", "b", "tail", "problem")
# What stands beside them in one picture or table.
BESIDE = [("tail", "null"), ("tail", "ink"), ("problem", "won"), ("problem", "ink"), ("a", "null"), ("b", "null"), ("b", "won")]
APART = 20
"""Ten times what people just notice (CIE 1976)."""


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    ratio = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), ratio * 841 / 108 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_colours_with_a_meaning_are_told_apart_by_everybody(scheme, vision):
    seen = {role: lab(np.array(VISION[vision]) @ linear(colours[scheme])) for role, colours in PALETTE.items()}
    for one, other in [*combinations(MEANINGS, 2), *BESIDE]:
        assert np.linalg.norm(seen[one] - seen[other]) >= APART, (one, other)


def test_tails_and_problems_are_told_from_what_they_lie_on_in_grey_print():
    lightness = {role: lab(linear(light))[0] for role, (light, _) in PALETTE.items()}
    # The law is drawn at 55% of its colour, so it is lighter still.
    for one, other in (("tail", "null"), ("tail", "paper"), ("problem", "paper"), ("problem", "panel")):
        assert abs(lightness[one] - lightness[other]) >= 25, (one, other)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_in_the_colour_of_a_tail_can_be_read(scheme):
    """WCAG 2 asks for a contrast of 4.5 of words, and of 3 of borders."""
    light = {role: linear(colours[scheme]) @ TO_XYZ[1] for role, colours in PALETTE.items()}
    for role, least in (("tail", 4.5), ("problem", 3), ("open", 4.5), ("won", 4.5)):
        low, high = sorted((light[role], light["paper"]))
        assert (high + 0.05) / (low + 0.05) >= least, role


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_words_and_borders_stand_out_from_what_they_lie_on(scheme, ground):
    """All words of pages 4.5 to 1, and borders of controls and cells, and marks, 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11)."""
    colours = {role: pair[scheme] for role, pair in PALETTE.items()}
    # The border of controls, half muted and half null, as browsers mix them.
    halves = zip(bytes.fromhex(colours["muted"][1:]), bytes.fromhex(colours["null"][1:]), strict=True)
    colours["edge"] = "#" + "".join(f"{(one + other) // 2:02x}" for one, other in halves)
    light = {role: linear(colour) @ TO_XYZ[1] for role, colour in colours.items()}
    words = dict.fromkeys(("ink", "muted", "a", "won", "open"), 4.5)
    for role, least in {**words, "edge": 3, "b": 3, "problem": 3, "null": 3}.items():
        low, high = sorted((light[role], light[ground]))
        assert (high + 0.05) / (low + 0.05) >= least, role
