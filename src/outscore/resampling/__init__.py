"""Seeded resampling: arrays in, numbers out, the same on any number of blocks, threads and workers."""
