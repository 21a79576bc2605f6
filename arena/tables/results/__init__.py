"""Results of matches that were played elsewhere: files, with a module for each form."""
