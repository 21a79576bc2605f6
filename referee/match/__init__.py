"""A match: what is due, what is wrong with an answer, and the record that plays it again."""
