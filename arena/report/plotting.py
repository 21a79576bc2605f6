"""The library that draws charts, imported so that it leaves no traces in Python's own imports."""

import sys

import pygal
from pygal.etree import etree

__all__ = ["pygal"]

# A finder of its plugins stays behind, of a kind that Python warns of at every other import.
sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, pygal.PluginImportFixer)]
etree.to_etree()  # of the standard library, also where another is installed
