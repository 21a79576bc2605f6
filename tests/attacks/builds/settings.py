"""What hostile builds may use: little, so that an attack is over soon."""

from referee.limits import WorkLimits

LIMITS = WorkLimits(seconds=4, memory_mb=128, processes=24, output_kb=64, disk_mb=32, files=400)
EVERYTHING = WorkLimits(
    seconds=10, memory_mb=8192, processes=4096, output_kb=4096, disk_mb=8192, files=100_000
)
"""For the control, which is confined by nothing."""
MUCH = 1536 << 20
"""Bytes of the disk that they try to take."""
MANY = 60_000
"""Files that they try to make."""
