"""Tod und Leben: pure luck."""
