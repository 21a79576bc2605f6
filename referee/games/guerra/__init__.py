"""Guerra: its cards, battles, refusals and texts."""
