"""Two samples of different items: every division of the pooled scores, rank sums, Welch, and their intervals."""
