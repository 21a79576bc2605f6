"""Programs in many languages, and in which sandbox each runtime starts."""
