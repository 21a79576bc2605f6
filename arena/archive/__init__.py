"""Shows, exports, imports, saves and verifies the matches of a league."""
