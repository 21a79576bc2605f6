"""The author's side of remote bots: one plays in a served league from its author's machine."""
