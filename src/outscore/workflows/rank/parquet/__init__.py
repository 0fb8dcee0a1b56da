"""Leaderboards in Parquet files of any size."""
