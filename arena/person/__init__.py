"""A person at the table: what is asked in words, how an answer is read, and a page to play on."""
