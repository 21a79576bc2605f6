"""The packages of Python bots: locked, fetched or taken from wheels, and kept to be shared."""
