"""The language that games are written in: the contract, forms of replies, chance, and tables."""
