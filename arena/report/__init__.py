"""A league as one page to look at: tables, pictures, and matches that can be stepped through."""
