"""Values of R, frozen, each beside the command that printed it.

R 4.2.2 with coin 1.4-2 and exactRankTests 0.8-35, every number by ``sprintf("%.17g", …)``. The data, as in the commands:

    x <- c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
    y <- c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
    a <- c(5, 3, 4, 6, 2, 5, 4, 3, 6, 1, 4, 5, 2, 3)
    b <- c(3, 3, 2, 6, 4, 1, 3, 4, 2, 1, 2, 4, 3, 1)

x and y are Hollander and Wolfe's depression data; a and b have ties and equal pairs.
"""

# ruff: noqa: E501 - a command stands on one line, as it is run

from __future__ import annotations

from math import inf

DATA = {
    "x": [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
    "y": [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
    "a": [5, 3, 4, 6, 2, 5, 4, 3, 6, 1, 4, 5, 2, 3],
    "b": [3, 3, 2, 6, 4, 1, 3, 4, 2, 1, 2, 4, 3, 1],
}

# order, alternative, delta: t, p, low, high
STUDENT = [
    # r <- t.test(x, y, paired = TRUE, alternative = "two.sided", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("xy", "two-sided", 0, 3.0353754156485913, 0.016176627434908095, 0.10377871227216852, 0.7599990655056093),
    # r <- t.test(x, y, paired = TRUE, alternative = "two.sided", mu = 0.1); c(r$statistic, r$p.value, r$conf.int)
    ("xy", "two-sided", 0.1, 2.332561452673615, 0.04796949277199301, 0.10377871227216852, 0.7599990655056093),
    # r <- t.test(x, y, paired = TRUE, alternative = "greater", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("xy", "greater", 0, 3.0353754156485913, 0.008088313717454047, 0.16730279135896456, inf),
    # r <- t.test(x, y, paired = TRUE, alternative = "greater", mu = 0.1); c(r$statistic, r$p.value, r$conf.int)
    ("xy", "greater", 0.1, 2.332561452673615, 0.023984746385996503, 0.16730279135896456, inf),
    # r <- t.test(x, y, paired = TRUE, alternative = "less", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("xy", "less", 0, 3.0353754156485913, 0.9919116862825459, -inf, 0.6964749864188132),
    # r <- t.test(x, y, paired = TRUE, alternative = "less", mu = 0.1); c(r$statistic, r$p.value, r$conf.int)
    ("xy", "less", 0.1, 2.332561452673615, 0.9760152536140034, -inf, 0.6964749864188132),
    # r <- t.test(y, x, paired = TRUE, alternative = "two.sided", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("yx", "two-sided", 0, -3.0353754156485913, 0.016176627434908095, -0.7599990655056093, -0.10377871227216852),
    # r <- t.test(y, x, paired = TRUE, alternative = "two.sided", mu = -0.1); c(r$statistic, r$p.value, r$conf.int)
    ("yx", "two-sided", -0.1, -2.332561452673615, 0.04796949277199301, -0.7599990655056093, -0.10377871227216852),
    # r <- t.test(y, x, paired = TRUE, alternative = "greater", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("yx", "greater", 0, -3.0353754156485913, 0.9919116862825459, -0.6964749864188132, inf),
    # r <- t.test(y, x, paired = TRUE, alternative = "greater", mu = -0.1); c(r$statistic, r$p.value, r$conf.int)
    ("yx", "greater", -0.1, -2.332561452673615, 0.9760152536140034, -0.6964749864188132, inf),
    # r <- t.test(y, x, paired = TRUE, alternative = "less", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("yx", "less", 0, -3.0353754156485913, 0.008088313717454047, -inf, -0.16730279135896456),
    # r <- t.test(y, x, paired = TRUE, alternative = "less", mu = -0.1); c(r$statistic, r$p.value, r$conf.int)
    ("yx", "less", -0.1, -2.332561452673615, 0.023984746385996503, -inf, -0.16730279135896456),
    # r <- t.test(a, b, paired = TRUE, alternative = "two.sided", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("ab", "two-sided", 0, 2.0816659994661326, 0.05769884126896001, -0.03780753349329015, 2.03780753349329),
    # r <- t.test(a, b, paired = TRUE, alternative = "two.sided", mu = 0.1); c(r$statistic, r$p.value, r$conf.int)
    ("ab", "two-sided", 0.1, 1.8734993995195195, 0.08365284263701676, -0.03780753349329008, 2.0378075334932904),
    # r <- t.test(a, b, paired = TRUE, alternative = "greater", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("ab", "greater", 0, 2.0816659994661326, 0.028849420634480004, 0.14927111436654636, inf),
    # r <- t.test(a, b, paired = TRUE, alternative = "greater", mu = 0.1); c(r$statistic, r$p.value, r$conf.int)
    ("ab", "greater", 0.1, 1.8734993995195195, 0.04182642131850838, 0.14927111436654644, inf),
    # r <- t.test(a, b, paired = TRUE, alternative = "less", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("ab", "less", 0, 2.0816659994661326, 0.97115057936552, -inf, 1.8507288856334536),
    # r <- t.test(a, b, paired = TRUE, alternative = "less", mu = 0.1); c(r$statistic, r$p.value, r$conf.int)
    ("ab", "less", 0.1, 1.8734993995195195, 0.9581735786814916, -inf, 1.8507288856334538),
    # r <- t.test(b, a, paired = TRUE, alternative = "two.sided", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("ba", "two-sided", 0, -2.0816659994661326, 0.05769884126896001, -2.03780753349329, 0.03780753349329015),
    # r <- t.test(b, a, paired = TRUE, alternative = "two.sided", mu = -0.1); c(r$statistic, r$p.value, r$conf.int)
    ("ba", "two-sided", -0.1, -1.8734993995195195, 0.08365284263701676, -2.0378075334932904, 0.03780753349329008),
    # r <- t.test(b, a, paired = TRUE, alternative = "greater", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("ba", "greater", 0, -2.0816659994661326, 0.97115057936552, -1.8507288856334536, inf),
    # r <- t.test(b, a, paired = TRUE, alternative = "greater", mu = -0.1); c(r$statistic, r$p.value, r$conf.int)
    ("ba", "greater", -0.1, -1.8734993995195195, 0.9581735786814916, -1.8507288856334538, inf),
    # r <- t.test(b, a, paired = TRUE, alternative = "less", mu = 0); c(r$statistic, r$p.value, r$conf.int)
    ("ba", "less", 0, -2.0816659994661326, 0.028849420634480004, -inf, -0.14927111436654636),
    # r <- t.test(b, a, paired = TRUE, alternative = "less", mu = -0.1); c(r$statistic, r$p.value, r$conf.int)
    ("ba", "less", -0.1, -1.8734993995195195, 0.04182642131850838, -inf, -0.14927111436654644),
]

# order, alternative, delta: V, p, pseudomedian, low, high
WILCOXON = [
    # r <- wilcox.test(x, y, paired = TRUE, alternative = "two.sided", mu = 0, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("xy", "two-sided", 0, 40.0, 0.0390625, 0.4600000000000001, 0.010000000000000009, 0.786),
    # r <- wilcox.test(x, y, paired = TRUE, alternative = "two.sided", mu = 0.1, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("xy", "two-sided", 0.1, 39.0, 0.0546875, 0.4600000000000001, 0.010000000000000009, 0.786),
    # r <- wilcox.test(x, y, paired = TRUE, alternative = "greater", mu = 0, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("xy", "greater", 0, 40.0, 0.01953125, 0.4600000000000001, 0.17500000000000004, inf),
    # r <- wilcox.test(x, y, paired = TRUE, alternative = "greater", mu = 0.1, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("xy", "greater", 0.1, 39.0, 0.02734375, 0.4600000000000001, 0.17500000000000004, inf),
    # r <- wilcox.test(x, y, paired = TRUE, alternative = "less", mu = 0, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("xy", "less", 0, 40.0, 0.986328125, 0.4600000000000001, -inf, 0.7260000000000002),
    # r <- wilcox.test(x, y, paired = TRUE, alternative = "less", mu = 0.1, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("xy", "less", 0.1, 39.0, 0.98046875, 0.4600000000000001, -inf, 0.7260000000000002),
    # r <- wilcox.test(y, x, paired = TRUE, alternative = "two.sided", mu = 0, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("yx", "two-sided", 0, 5.0, 0.0390625, -0.4600000000000001, -0.786, -0.010000000000000009),
    # r <- wilcox.test(y, x, paired = TRUE, alternative = "two.sided", mu = -0.1, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("yx", "two-sided", -0.1, 6.0, 0.0546875, -0.4600000000000001, -0.786, -0.010000000000000009),
    # r <- wilcox.test(y, x, paired = TRUE, alternative = "greater", mu = 0, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("yx", "greater", 0, 5.0, 0.986328125, -0.4600000000000001, -0.7260000000000002, inf),
    # r <- wilcox.test(y, x, paired = TRUE, alternative = "greater", mu = -0.1, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("yx", "greater", -0.1, 6.0, 0.98046875, -0.4600000000000001, -0.7260000000000002, inf),
    # r <- wilcox.test(y, x, paired = TRUE, alternative = "less", mu = 0, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("yx", "less", 0, 5.0, 0.01953125, -0.4600000000000001, -inf, -0.17500000000000004),
    # r <- wilcox.test(y, x, paired = TRUE, alternative = "less", mu = -0.1, exact = TRUE, conf.int = TRUE); c(r$statistic, r$p.value, r$estimate, r$conf.int)
    ("yx", "less", -0.1, 6.0, 0.02734375, -0.4600000000000001, -inf, -0.17500000000000004),
]

# order, alternative, delta: V, p; exact with ties, zeros dropped
WILCOXON_TIES = [
    # r <- wilcox.exact(a, b, paired = TRUE, alternative = "two.sided", mu = 0); c(r$statistic, r$p.value)
    ("ab", "two-sided", 0, 54.0, 0.0712890625),
    # r <- wilcox.exact(a, b, paired = TRUE, alternative = "two.sided", mu = 1); c(r$statistic, r$p.value)
    ("ab", "two-sided", 1, 38.0, 0.93701171875),
    # r <- wilcox.exact(a, b, paired = TRUE, alternative = "greater", mu = 0); c(r$statistic, r$p.value)
    ("ab", "greater", 0, 54.0, 0.03564453125),
    # r <- wilcox.exact(a, b, paired = TRUE, alternative = "greater", mu = 1); c(r$statistic, r$p.value)
    ("ab", "greater", 1, 38.0, 0.55712890625),
    # r <- wilcox.exact(a, b, paired = TRUE, alternative = "less", mu = 0); c(r$statistic, r$p.value)
    ("ab", "less", 0, 54.0, 0.97900390625),
    # r <- wilcox.exact(a, b, paired = TRUE, alternative = "less", mu = 1); c(r$statistic, r$p.value)
    ("ab", "less", 1, 38.0, 0.468505859375),
    # r <- wilcox.exact(b, a, paired = TRUE, alternative = "two.sided", mu = 0); c(r$statistic, r$p.value)
    ("ba", "two-sided", 0, 12.0, 0.0712890625),
    # r <- wilcox.exact(b, a, paired = TRUE, alternative = "two.sided", mu = -1); c(r$statistic, r$p.value)
    ("ba", "two-sided", -1, 40.0, 0.93701171875),
    # r <- wilcox.exact(b, a, paired = TRUE, alternative = "greater", mu = 0); c(r$statistic, r$p.value)
    ("ba", "greater", 0, 12.0, 0.97900390625),
    # r <- wilcox.exact(b, a, paired = TRUE, alternative = "greater", mu = -1); c(r$statistic, r$p.value)
    ("ba", "greater", -1, 40.0, 0.468505859375),
    # r <- wilcox.exact(b, a, paired = TRUE, alternative = "less", mu = 0); c(r$statistic, r$p.value)
    ("ba", "less", 0, 12.0, 0.03564453125),
    # r <- wilcox.exact(b, a, paired = TRUE, alternative = "less", mu = -1); c(r$statistic, r$p.value)
    ("ba", "less", -1, 40.0, 0.55712890625),
]

# order, alternative, treatment of zeros: p
WILCOXON_ZEROS = [
    # pvalue(wilcoxsign_test(a ~ b, distribution = "exact", alternative = "two.sided", zero.method = "Pratt"))
    ("ab", "two-sided", "pratt", 0.087890625),
    # pvalue(wilcoxsign_test(a ~ b, distribution = "exact", alternative = "two.sided", zero.method = "Wilcoxon"))
    ("ab", "two-sided", "drop", 0.0712890625),
    # pvalue(wilcoxsign_test(a ~ b, distribution = "exact", alternative = "greater", zero.method = "Pratt"))
    ("ab", "greater", "pratt", 0.0439453125),
    # pvalue(wilcoxsign_test(a ~ b, distribution = "exact", alternative = "greater", zero.method = "Wilcoxon"))
    ("ab", "greater", "drop", 0.03564453125),
    # pvalue(wilcoxsign_test(a ~ b, distribution = "exact", alternative = "less", zero.method = "Pratt"))
    ("ab", "less", "pratt", 0.970703125),
    # pvalue(wilcoxsign_test(a ~ b, distribution = "exact", alternative = "less", zero.method = "Wilcoxon"))
    ("ab", "less", "drop", 0.97900390625),
    # pvalue(wilcoxsign_test(b ~ a, distribution = "exact", alternative = "two.sided", zero.method = "Pratt"))
    ("ba", "two-sided", "pratt", 0.087890625),
    # pvalue(wilcoxsign_test(b ~ a, distribution = "exact", alternative = "two.sided", zero.method = "Wilcoxon"))
    ("ba", "two-sided", "drop", 0.0712890625),
    # pvalue(wilcoxsign_test(b ~ a, distribution = "exact", alternative = "greater", zero.method = "Pratt"))
    ("ba", "greater", "pratt", 0.970703125),
    # pvalue(wilcoxsign_test(b ~ a, distribution = "exact", alternative = "greater", zero.method = "Wilcoxon"))
    ("ba", "greater", "drop", 0.97900390625),
    # pvalue(wilcoxsign_test(b ~ a, distribution = "exact", alternative = "less", zero.method = "Pratt"))
    ("ba", "less", "pratt", 0.0439453125),
    # pvalue(wilcoxsign_test(b ~ a, distribution = "exact", alternative = "less", zero.method = "Wilcoxon"))
    ("ba", "less", "drop", 0.03564453125),
]

# order, alternative: V, p of the corrected normal approximation
WILCOXON_NORMAL = [
    # r <- wilcox.test(a, b, paired = TRUE, alternative = "two.sided", exact = FALSE, correct = TRUE); c(r$statistic, r$p.value)
    ("ab", "two-sided", 54.0, 0.0641340373430858),
    # r <- wilcox.test(a, b, paired = TRUE, alternative = "greater", exact = FALSE, correct = TRUE); c(r$statistic, r$p.value)
    ("ab", "greater", 54.0, 0.0320670186715429),
    # r <- wilcox.test(a, b, paired = TRUE, alternative = "less", exact = FALSE, correct = TRUE); c(r$statistic, r$p.value)
    ("ab", "less", 54.0, 0.973904299906126),
    # r <- wilcox.test(b, a, paired = TRUE, alternative = "two.sided", exact = FALSE, correct = TRUE); c(r$statistic, r$p.value)
    ("ba", "two-sided", 12.0, 0.0641340373430858),
    # r <- wilcox.test(b, a, paired = TRUE, alternative = "greater", exact = FALSE, correct = TRUE); c(r$statistic, r$p.value)
    ("ba", "greater", 12.0, 0.973904299906126),
    # r <- wilcox.test(b, a, paired = TRUE, alternative = "less", exact = FALSE, correct = TRUE); c(r$statistic, r$p.value)
    ("ba", "less", 12.0, 0.0320670186715429),
]

# order, alternative, delta: p of the paired permutation test of the mean
PERMUTATION = [
    # perm.test(a, b, paired = TRUE, alternative = "two.sided", exact = TRUE)$p.value
    ("ab", "two-sided", 0, 0.0810546875),
    # perm.test(a - (1), b, paired = TRUE, alternative = "two.sided", exact = TRUE)$p.value
    ("ab", "two-sided", 1, 1.0),
    # perm.test(a, b, paired = TRUE, alternative = "greater", exact = TRUE)$p.value
    ("ab", "greater", 0, 0.04052734375),
    # perm.test(a - (1), b, paired = TRUE, alternative = "greater", exact = TRUE)$p.value
    ("ab", "greater", 1, 0.558837890625),
    # perm.test(a, b, paired = TRUE, alternative = "less", exact = TRUE)$p.value
    ("ab", "less", 0, 0.98046875),
    # perm.test(a - (1), b, paired = TRUE, alternative = "less", exact = TRUE)$p.value
    ("ab", "less", 1, 0.558837890625),
    # perm.test(b, a, paired = TRUE, alternative = "two.sided", exact = TRUE)$p.value
    ("ba", "two-sided", 0, 0.0810546875),
    # perm.test(b - (-1), a, paired = TRUE, alternative = "two.sided", exact = TRUE)$p.value
    ("ba", "two-sided", -1, 1.0),
    # perm.test(b, a, paired = TRUE, alternative = "greater", exact = TRUE)$p.value
    ("ba", "greater", 0, 0.98046875),
    # perm.test(b - (-1), a, paired = TRUE, alternative = "greater", exact = TRUE)$p.value
    ("ba", "greater", -1, 0.558837890625),
    # perm.test(b, a, paired = TRUE, alternative = "less", exact = TRUE)$p.value
    ("ba", "less", 0, 0.04052734375),
    # perm.test(b - (-1), a, paired = TRUE, alternative = "less", exact = TRUE)$p.value
    ("ba", "less", -1, 0.558837890625),
    # perm.test(round(1000 * x), round(1000 * y), paired = TRUE, alternative = "two.sided", exact = TRUE)$p.value
    ("xy", "two-sided", 0, 0.02734375),
    # perm.test(round(1000 * x), round(1000 * y), paired = TRUE, alternative = "greater", exact = TRUE)$p.value
    ("xy", "greater", 0, 0.013671875),
    # perm.test(round(1000 * x), round(1000 * y), paired = TRUE, alternative = "less", exact = TRUE)$p.value
    ("xy", "less", 0, 0.98828125),
    # perm.test(round(1000 * y), round(1000 * x), paired = TRUE, alternative = "two.sided", exact = TRUE)$p.value
    ("yx", "two-sided", 0, 0.02734375),
    # perm.test(round(1000 * y), round(1000 * x), paired = TRUE, alternative = "greater", exact = TRUE)$p.value
    ("yx", "greater", 0, 0.98828125),
    # perm.test(round(1000 * y), round(1000 * x), paired = TRUE, alternative = "less", exact = TRUE)$p.value
    ("yx", "less", 0, 0.013671875),
]

# wins, of n, alternative: p
SIGN = [
    # binom.test(9, 10, alternative = "two.sided")$p.value
    (9, 10, "two-sided", 0.021484375000000014),
    # binom.test(9, 10, alternative = "greater")$p.value
    (9, 10, "greater", 0.010742187500000007),
    # binom.test(9, 10, alternative = "less")$p.value
    (9, 10, "less", 0.9990234375),
    # binom.test(8, 10, alternative = "two.sided")$p.value
    (8, 10, "two-sided", 0.10937499999999994),
    # binom.test(8, 10, alternative = "greater")$p.value
    (8, 10, "greater", 0.05468749999999997),
    # binom.test(8, 10, alternative = "less")$p.value
    (8, 10, "less", 0.9892578125),
    # binom.test(30, 41, alternative = "two.sided")$p.value
    (30, 41, "two-sided", 0.0043240049344603956),
    # binom.test(30, 41, alternative = "greater")$p.value
    (30, 41, "greater", 0.0021620024672301978),
    # binom.test(30, 41, alternative = "less")$p.value
    (30, 41, "less", 0.9992747544929443),
    # binom.test(0, 5, alternative = "two.sided")$p.value
    (0, 5, "two-sided", 0.0625),
    # binom.test(0, 5, alternative = "greater")$p.value
    (0, 5, "greater", 1.0),
    # binom.test(0, 5, alternative = "less")$p.value
    (0, 5, "less", 0.03125),
    # binom.test(6, 12, alternative = "two.sided")$p.value
    (6, 12, "two-sided", 1.0),
    # binom.test(6, 12, alternative = "greater")$p.value
    (6, 12, "greater", 0.6127929687499999),
    # binom.test(6, 12, alternative = "less")$p.value
    (6, 12, "less", 0.6127929687499999),
]

# (both right, only A, only B, none), variant: statistic, p
MCNEMAR = [
    # r <- mcnemar.test(matrix(c(60, 5, 15, 20), 2), correct = FALSE); c(r$statistic, r$p.value)
    ((60, 15, 5, 20), "chi-square", 5.0, 0.025347318677468304),
    # r <- mcnemar.test(matrix(c(60, 5, 15, 20), 2), correct = TRUE); c(r$statistic, r$p.value)
    ((60, 15, 5, 20), "corrected", 4.05, 0.04417134490844268),
    # c(15, binom.test(15, 20)$p.value)
    ((60, 15, 5, 20), "exact", 15.0, 0.041389465332031285),
    # c(15, min(1, 2 * pbinom(5, 20, 0.5) - dbinom(5, 20, 0.5)))
    ((60, 15, 5, 20), "mid-p", 15.0, 0.02660369873046879),
    # r <- mcnemar.test(matrix(c(30, 4, 4, 2), 2), correct = FALSE); c(r$statistic, r$p.value)
    ((30, 4, 4, 2), "chi-square", 0.0, 1.0),
    # r <- mcnemar.test(matrix(c(30, 4, 4, 2), 2), correct = TRUE); c(r$statistic, r$p.value)
    ((30, 4, 4, 2), "corrected", 0.0, 1.0),
    # c(4, binom.test(4, 8)$p.value)
    ((30, 4, 4, 2), "exact", 4.0, 1.0),
    # c(4, min(1, 2 * pbinom(4, 8, 0.5) - dbinom(4, 8, 0.5)))
    ((30, 4, 4, 2), "mid-p", 4.0, 0.9999999999999996),
    # r <- mcnemar.test(matrix(c(10, 6, 0, 14), 2), correct = FALSE); c(r$statistic, r$p.value)
    ((10, 0, 6, 14), "chi-square", 6.0, 0.014305878435429647),
    # r <- mcnemar.test(matrix(c(10, 6, 0, 14), 2), correct = TRUE); c(r$statistic, r$p.value)
    ((10, 0, 6, 14), "corrected", 4.166666666666667, 0.04122683333716357),
    # c(0, binom.test(0, 6)$p.value)
    ((10, 0, 6, 14), "exact", 0.0, 0.03125000000000001),
    # c(0, min(1, 2 * pbinom(0, 6, 0.5) - dbinom(0, 6, 0.5)))
    ((10, 0, 6, 14), "mid-p", 0.0, 0.015625),
    # r <- mcnemar.test(matrix(c(700, 39, 61, 200), 2), correct = FALSE); c(r$statistic, r$p.value)
    ((700, 61, 39, 200), "chi-square", 4.84, 0.027806895026997215),
    # r <- mcnemar.test(matrix(c(700, 39, 61, 200), 2), correct = TRUE); c(r$statistic, r$p.value)
    ((700, 61, 39, 200), "corrected", 4.41, 0.03572884112563309),
    # c(61, binom.test(61, 100)$p.value)
    ((700, 61, 39, 200), "exact", 61.0, 0.03520020021770485),
    # c(61, min(1, 2 * pbinom(39, 100, 0.5) - dbinom(39, 100, 0.5)))
    ((700, 61, 39, 200), "mid-p", 61.0, 0.028089467947778286),
]

# n, only A, only B, delta: z, with the nuisance parameter from the root of the likelihood's derivative
TANGO = [
    # q <- uniroot(function(q) 15 / (q + 0.05) + 5 / q - 2 * 80 / (1 - 2 * q - 0.05), c(0 + 1e-13, (1 - 0.05) / 2 - 1e-13), tol = 1e-17)$root; (15 - 5 - 100 * 0.05) / sqrt(100 * (2 * q + 0.05 * (1 - 0.05)))
    (100, 15, 5, 0.05, 1.157362083316201),
    # q <- uniroot(function(q) 5 / (q - 0.05) + 15 / q - 2 * 80 / (1 - 2 * q + 0.05), c(0.05 + 1e-13, (1 + 0.05) / 2 - 1e-13), tol = 1e-17)$root; (5 - 15 - 100 * -0.05) / sqrt(100 * (2 * q + -0.05 * (1 + 0.05)))
    (100, 5, 15, -0.05, -1.1573620833162008),
    # q <- uniroot(function(q) 15 / (q - 0.02) + 5 / q - 2 * 80 / (1 - 2 * q + 0.02), c(0.02 + 1e-13, (1 + 0.02) / 2 - 1e-13), tol = 1e-17)$root; (15 - 5 - 100 * -0.02) / sqrt(100 * (2 * q + -0.02 * (1 + 0.02)))
    (100, 15, 5, -0.02, 2.6267866114774225),
    # q <- uniroot(function(q) 5 / (q + 0.02) + 15 / q - 2 * 80 / (1 - 2 * q - 0.02), c(0 + 1e-13, (1 - 0.02) / 2 - 1e-13), tol = 1e-17)$root; (5 - 15 - 100 * 0.02) / sqrt(100 * (2 * q + 0.02 * (1 - 0.02)))
    (100, 5, 15, 0.02, -2.6267866114774225),
    # q <- uniroot(function(q) 15 / (q + 0.2) + 5 / q - 2 * 80 / (1 - 2 * q - 0.2), c(0 + 1e-13, (1 - 0.2) / 2 - 1e-13), tol = 1e-17)$root; (15 - 5 - 100 * 0.2) / sqrt(100 * (2 * q + 0.2 * (1 - 0.2)))
    (100, 15, 5, 0.2, -2.107053468939211),
    # q <- uniroot(function(q) 5 / (q - 0.2) + 15 / q - 2 * 80 / (1 - 2 * q + 0.2), c(0.2 + 1e-13, (1 + 0.2) / 2 - 1e-13), tol = 1e-17)$root; (5 - 15 - 100 * -0.2) / sqrt(100 * (2 * q + -0.2 * (1 + 0.2)))
    (100, 5, 15, -0.2, 2.107053468939211),
    # q <- uniroot(function(q) 4 / (q + 0.05) + 4 / q - 2 * 32 / (1 - 2 * q - 0.05), c(0 + 1e-13, (1 - 0.05) / 2 - 1e-13), tol = 1e-17)$root; (4 - 4 - 40 * 0.05) / sqrt(40 * (2 * q + 0.05 * (1 - 0.05)))
    (40, 4, 4, 0.05, -0.6949733303271385),
    # q <- uniroot(function(q) 4 / (q - 0.05) + 4 / q - 2 * 32 / (1 - 2 * q + 0.05), c(0.05 + 1e-13, (1 + 0.05) / 2 - 1e-13), tol = 1e-17)$root; (4 - 4 - 40 * -0.05) / sqrt(40 * (2 * q + -0.05 * (1 + 0.05)))
    (40, 4, 4, -0.05, 0.6949733303271384),
    # q <- uniroot(function(q) 4 / (q - 0.02) + 4 / q - 2 * 32 / (1 - 2 * q + 0.02), c(0.02 + 1e-13, (1 + 0.02) / 2 - 1e-13), tol = 1e-17)$root; (4 - 4 - 40 * -0.02) / sqrt(40 * (2 * q + -0.02 * (1 + 0.02)))
    (40, 4, 4, -0.02, 0.28200681353691903),
    # q <- uniroot(function(q) 4 / (q + 0.02) + 4 / q - 2 * 32 / (1 - 2 * q - 0.02), c(0 + 1e-13, (1 - 0.02) / 2 - 1e-13), tol = 1e-17)$root; (4 - 4 - 40 * 0.02) / sqrt(40 * (2 * q + 0.02 * (1 - 0.02)))
    (40, 4, 4, 0.02, -0.2820068135369191),
    # q <- uniroot(function(q) 4 / (q + 0.2) + 4 / q - 2 * 32 / (1 - 2 * q - 0.2), c(0 + 1e-13, (1 - 0.2) / 2 - 1e-13), tol = 1e-17)$root; (4 - 4 - 40 * 0.2) / sqrt(40 * (2 * q + 0.2 * (1 - 0.2)))
    (40, 4, 4, 0.2, -2.4574632526855136),
    # q <- uniroot(function(q) 4 / (q - 0.2) + 4 / q - 2 * 32 / (1 - 2 * q + 0.2), c(0.2 + 1e-13, (1 + 0.2) / 2 - 1e-13), tol = 1e-17)$root; (4 - 4 - 40 * -0.2) / sqrt(40 * (2 * q + -0.2 * (1 + 0.2)))
    (40, 4, 4, -0.2, 2.457463252685513),
    # q <- uniroot(function(q) 61 / (q + 0.05) + 39 / q - 2 * 900 / (1 - 2 * q - 0.05), c(0 + 1e-13, (1 - 0.05) / 2 - 1e-13), tol = 1e-17)$root; (61 - 39 - 1000 * 0.05) / sqrt(1000 * (2 * q + 0.05 * (1 - 0.05)))
    (1000, 61, 39, 0.05, -2.6828835997226084),
    # q <- uniroot(function(q) 39 / (q - 0.05) + 61 / q - 2 * 900 / (1 - 2 * q + 0.05), c(0.05 + 1e-13, (1 + 0.05) / 2 - 1e-13), tol = 1e-17)$root; (39 - 61 - 1000 * -0.05) / sqrt(1000 * (2 * q + -0.05 * (1 + 0.05)))
    (1000, 39, 61, -0.05, 2.682883599722609),
    # q <- uniroot(function(q) 61 / (q - 0.02) + 39 / q - 2 * 900 / (1 - 2 * q + 0.02), c(0.02 + 1e-13, (1 + 0.02) / 2 - 1e-13), tol = 1e-17)$root; (61 - 39 - 1000 * -0.02) / sqrt(1000 * (2 * q + -0.02 * (1 + 0.02)))
    (1000, 61, 39, -0.02, 4.067250715673179),
    # q <- uniroot(function(q) 39 / (q + 0.02) + 61 / q - 2 * 900 / (1 - 2 * q - 0.02), c(0 + 1e-13, (1 - 0.02) / 2 - 1e-13), tol = 1e-17)$root; (39 - 61 - 1000 * 0.02) / sqrt(1000 * (2 * q + 0.02 * (1 - 0.02)))
    (1000, 39, 61, 0.02, -4.067250715673179),
    # q <- uniroot(function(q) 61 / (q + 0.2) + 39 / q - 2 * 900 / (1 - 2 * q - 0.2), c(0 + 1e-13, (1 - 0.2) / 2 - 1e-13), tol = 1e-17)$root; (61 - 39 - 1000 * 0.2) / sqrt(1000 * (2 * q + 0.2 * (1 - 0.2)))
    (1000, 61, 39, 0.2, -12.666885173027211),
    # q <- uniroot(function(q) 39 / (q - 0.2) + 61 / q - 2 * 900 / (1 - 2 * q + 0.2), c(0.2 + 1e-13, (1 + 0.2) / 2 - 1e-13), tol = 1e-17)$root; (39 - 61 - 1000 * -0.2) / sqrt(1000 * (2 * q + -0.2 * (1 + 0.2)))
    (1000, 39, 61, -0.2, 12.666885173027211),
]

# n, only A, only B, rope: P(A better by more than the rope)
BAYES_BINARY = [
    # 1 - pbeta(0.5, 16, 6)
    (100, 15, 5, 0, 0.9866981506347656),
    # integrate(function(s) dbeta(s, 22, 82) * pbeta((1 + 0.05 / s) / 2, 16, 6, lower.tail = FALSE), 0.05, 1, rel.tol = 1e-11, subdivisions = 2000)$value
    (100, 15, 5, 0.05, 0.8569484776221201),
    # 1 - pbeta(0.5, 6, 16)
    (100, 5, 15, 0, 0.013301849365234375),
    # integrate(function(s) dbeta(s, 22, 82) * pbeta((1 + 0.05 / s) / 2, 6, 16, lower.tail = FALSE), 0.05, 1, rel.tol = 1e-11, subdivisions = 2000)$value
    (100, 5, 15, 0.05, 0.0005058124798356496),
    # 1 - pbeta(0.5, 10, 5)
    (30, 9, 4, 0, 0.91021728515625),
    # integrate(function(s) dbeta(s, 15, 19) * pbeta((1 + 0.05 / s) / 2, 10, 5, lower.tail = FALSE), 0.05, 1, rel.tol = 1e-11, subdivisions = 2000)$value
    (30, 9, 4, 0.05, 0.8142891597676631),
    # 1 - pbeta(0.5, 62, 40)
    (1000, 61, 39, 0, 0.9859552660261108),
    # integrate(function(s) dbeta(s, 102, 902) * pbeta((1 + 0.05 / s) / 2, 62, 40, lower.tail = FALSE), 0.05, 1, rel.tol = 1e-11, subdivisions = 2000)$value
    (1000, 61, 39, 0.05, 0.0030192160114028044),
]

# order, rope: P(A better by more than the rope)
BAYES_MEAN = [
    # d <- x - y; pt((mean(d) - 0) / (sd(d) / 3), 8)
    ("xy", 0, 0.9919116862825459),
    # d <- x - y; pt((mean(d) - 0.1) / (sd(d) / 3), 8)
    ("xy", 0.1, 0.9760152536140034),
    # d <- y - x; pt((mean(d) - 0) / (sd(d) / 3), 8)
    ("yx", 0, 0.008088313717454047),
    # d <- y - x; pt((mean(d) - 0.1) / (sd(d) / 3), 8)
    ("yx", 0.1, 0.0028600927586692223),
]

# order: d_z, low, high, Hedges' g
STANDARDISED = [
    # d <- x - y; n <- length(d); t <- mean(d) / sd(d) * sqrt(n); l <- function(p) uniroot(function(k) pt(t, n - 1, k) - p, t + c(-6, 6), tol = 1e-14)$root / sqrt(n); j <- exp(lgamma((n - 1) / 2) - lgamma((n - 2) / 2)) / sqrt((n - 1) / 2); c(mean(d) / sd(d), l(.975), l(.025), j * mean(d) / sd(d))
    ("xy", 1.011791805216197, 0.17714760906643454, 1.8071690619383307, 0.9133478355551339),
    # d <- y - x; n <- length(d); t <- mean(d) / sd(d) * sqrt(n); l <- function(p) uniroot(function(k) pt(t, n - 1, k) - p, t + c(-6, 6), tol = 1e-14)$root / sqrt(n); j <- exp(lgamma((n - 1) / 2) - lgamma((n - 2) / 2)) / sqrt((n - 1) / 2); c(mean(d) / sd(d), l(.975), l(.025), j * mean(d) / sd(d))
    ("yx", -1.011791805216197, -1.8071690619383298, -0.17714760906643398, -0.9133478355551339),
    # d <- a - b; n <- length(d); t <- mean(d) / sd(d) * sqrt(n); l <- function(p) uniroot(function(k) pt(t, n - 1, k) - p, t + c(-6, 6), tol = 1e-14)$root / sqrt(n); j <- exp(lgamma((n - 1) / 2) - lgamma((n - 2) / 2)) / sqrt((n - 1) / 2); c(mean(d) / sd(d), l(.975), l(.025), j * mean(d) / sd(d))
    ("ab", 0.5563486402641867, -0.01774354977673596, 1.1122241894761338, 0.5235143162900129),
]

# order: W and p of Shapiro and Wilk, lag-1 autocorrelation of d, correlation, skewness of d
ANALYSIS = [
    # d <- x - y; r <- shapiro.test(d); c(r$statistic, r$p.value, acf(d, plot = FALSE)$acf[2], cor(x, y), mean((d - mean(d))^3) / mean((d - mean(d))^2)^1.5)
    ("xy", 0.9213921177133051, 0.40389010764138034, -0.2874643992784031, 0.8478765191153643, -0.0787849043610805),
    # d <- a - b; r <- shapiro.test(d); c(r$statistic, r$p.value, acf(d, plot = FALSE)$acf[2], cor(a, b), mean((d - mean(d))^3) / mean((d - mean(d))^2)^1.5)
    ("ab", 0.9454877573309641, 0.49308085708526517, -0.5000000000000001, 0.2600935465503091, 0.1649572197684645),
]

# order, cluster sizes: t, p, low, high. The whole matrices of CR2 and of Bell and McCaffrey's degrees of freedom:
# f <- function(d) { g <- rep(1:5, c(4, 1, 3, 3, 3)); N <- length(d); H <- matrix(1/N, N, N); M <- diag(N) - H; r <- function(S) { e <- eigen(S, symmetric = TRUE); e$vectors %*% diag(ifelse(e$values > 1e-9, 1/sqrt(abs(e$values)), 0), length(e$values)) %*% t(e$vectors) }; u <- sapply(1:5, function(k) { i <- which(g == k); w <- rep(1/N, length(i)) %*% r(diag(length(i)) - H[i, i, drop = FALSE]); v <- numeric(N); v[i] <- w; M %*% v }); V <- sum((t(u) %*% d)^2); l <- eigen(t(u) %*% u, symmetric = TRUE)$values; k <- sum(l)^2 / sum(l^2); t <- mean(d) / sqrt(V); c(t, 2 * pt(-abs(t), k), mean(d) - qt(.975, k) * sqrt(V), mean(d) + qt(.975, k) * sqrt(V)) }
CLUSTERED = [
    # f(a - b)
    ("ab", (4, 1, 3, 3, 3), 2.8762349126466145, 0.053553487058247945, -0.026418936394749126, 2.0264189363947489),
    # f(b - a)
    ("ba", (4, 1, 3, 3, 3), -2.8762349126466145, 0.053553487058247945, -2.0264189363947489, 0.026418936394749126),
]

# right, of n, alpha: low, high
WILSON = [
    # prop.test(7, 9, correct = FALSE)$conf.int
    (7, 9, 0.05, 0.45258896910698904, 0.9367748928821533),
    # prop.test(0, 12, correct = FALSE)$conf.int
    (0, 12, 0.05, 0.0, 0.2424940066552408),
    # prop.test(12, 12, correct = FALSE)$conf.int
    (12, 12, 0.05, 0.7575059933447592, 1.0),
    # prop.test(871, 1000, correct = FALSE)$conf.int
    (871, 1000, 0.05, 0.8487959904982231, 0.890364554705495),
    # prop.test(7, 9, correct = FALSE, conf.level = .9)$conf.int
    (7, 9, 0.1, 0.503642782376754, 0.9235052624456036),
]

# scores: low, high
ONE_MEAN = [
    # t.test(x)$conf.int
    ("x", 1.2166123036181211, 2.316721029715212),
    # t.test(b)$conf.int
    ("b", 1.9635826902261393, 3.607845881202432),
]

# scores in ascending order (b as it is), repeats per item: between, within
VARIANCE_PARTS = [
    # g <- rep(1:5, c(4, 1, 3, 3, 3)); m <- anova(lm(sort(a) ~ factor(g)))[["Mean Sq"]]; n0 <- (14 - sum(table(g)^2) / 14) / 4; c(max(0, (m[1] - m[2]) / n0), m[2])
    ("a", (4, 1, 3, 3, 3), 2.263888888888889, 0.4444444444444444),
    # g <- rep(1:3, each = 3); m <- anova(lm(sort(x) ~ factor(g)))[["Mean Sq"]]; c(max(0, (m[1] - m[2]) / 3), m[2])
    ("x", (3, 3, 3), 0.3891370370370371, 0.22022222222222246),
    # g <- rep(1:7, each = 2); m <- anova(lm(b ~ factor(g)))[["Mean Sq"]]; c(max(0, (m[1] - m[2]) / 2), m[2])
    ("b", (2, 2, 2, 2, 2, 2, 2), 0.0, 2.5000000000000004),
]

# runs of A and of B, right of A and of B by item: p two-sided, greater, less
STRATIFIED = [
    # t <- function(na, nb, xa, xb) array(rbind(xa, na - xa, xb, nb - xb), dim = c(2, 2, length(xa)))
    # mantelhaen.test(t(4, 4, c(4,3,4,2,1), c(1,2,4,0,2)), exact = TRUE, alternative = "two.sided")$p.value
    ((4, 4), [4, 3, 4, 2, 1], [1, 2, 4, 0, 2], 0.1539462723865056, 0.0769731361932528, 0.98464181591003752),
    # mantelhaen.test(t(5, 5, c(5,4,2,3,0,5,1), c(3,1,2,0,1,5,0)), exact = TRUE, alternative = "two.sided")$p.value
    ((5, 5), [5, 4, 2, 3, 0, 5, 1], [3, 1, 2, 0, 1, 5, 0], 0.035677542621987059, 0.017838771310993529, 0.99686021527952751),
    # mantelhaen.test(t(3, 6, c(3,2,1,3), c(4,1,0,2)), exact = TRUE, alternative = "greater")$p.value; unequal, two sides differ
    ((3, 6), [3, 2, 1, 3], [4, 1, 0, 2], None, 0.0051571554547745029, 0.99980316200554309),
]
