#!/usr/bin/env python3
"""Gets ready, then never reads again."""

import sys

import polite

sys.stdin.readline()
polite.send(polite.READY)
polite.hang()
