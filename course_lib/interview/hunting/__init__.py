"""Bug hunts: what may be planted, what is right, and the two tables at which they are played."""
