"""War: the packs of the family, with jokers and long wars."""
