"""Three games for Bot Arena, as a stranger would bring them."""
