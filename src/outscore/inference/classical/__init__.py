"""Classical tests of one score per item: Student, Wilcoxon, sign, median, and the Bayesian reading."""
