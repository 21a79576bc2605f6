"""Finds games by a word, loads them, and tells what lies beside their code."""
