#!/usr/bin/env python3
"""Reads everything and never says that it is ready."""

import polite

for _ in polite.messages():
    pass
