"""P'yanitsa: the packs of the family, turned about: whoever gets all cards loses."""
