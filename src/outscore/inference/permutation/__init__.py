"""The paired permutation test: `dispatch` chooses the kernel, the other modules serve it."""
