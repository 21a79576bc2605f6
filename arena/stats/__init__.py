"""The statistics of results: ratings, standings, encounters; pure, without files or processes."""
