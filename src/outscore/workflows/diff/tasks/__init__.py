"""What outputs can be compared: one module for each task, which declares all about it. `registry` lists them."""
