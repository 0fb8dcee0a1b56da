"""The exact kernel: arrays in, numbers out. Paired-permutation probabilities without sampling.

The permutation null of every paired test is one object, a sum of independent sign flips. The modules differ
in the numbers they take: `binomial` (one size), `lattice` (integers on a line), `laws` (any independent laws
on whole numbers, of which a flip is one), `plane` (integer vectors),
`bracket` (real numbers, certified bounds), `enumeration` (few units), `distribution` (the whole law, and the published
algorithms). `numbers` recognises decimals as written, `basis` reduces columns to their rank.
"""
