#!/usr/bin/env python3
"""Dies of an exception before it is ready."""

raise RuntimeError("crashed on purpose")
