"""What outputs can be compared: one module for each task. `registry` lists them."""
