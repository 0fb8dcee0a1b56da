"""Many tasks on one processor, on several or on a cluster: the results are the same, and in order."""
