"""The ground everything stands on: the one exception, declared options, numbers, metrics and paired rows."""
