"""Casino War: its shoe, rounds and refusals."""
