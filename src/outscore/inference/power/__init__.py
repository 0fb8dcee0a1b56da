"""Power before the data and after them."""
