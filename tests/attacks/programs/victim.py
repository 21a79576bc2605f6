"""A victim: keeps a secret in memory, has a file open, and repeats what it hears."""

import ctypes
import os
import signal
import sys


def tell_of_signal(number: int, _frame: object) -> None:
    """Tell that somebody sent a signal."""
    print(f"signal {number}", flush=True)


signal.signal(signal.SIGURG, tell_of_signal)
secret = ctypes.create_string_buffer(sys.stdin.readline().strip().encode(), 64)
descriptor = os.open(sys.argv[1], os.O_RDONLY) if len(sys.argv) > 2 else -1
end = sum(number * number for number in range(20_000))  # some CPU time, different each run
print(f"victim {ctypes.addressof(secret)} {descriptor}", flush=True)
for line in sys.stdin:
    print(f"heard {line.strip()}", flush=True)
