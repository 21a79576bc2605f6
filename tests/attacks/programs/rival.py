"""A rival: an honest bot that takes what it needs, and tells what it did not get."""

import ctypes
import os
import signal
import sys
import threading
import time

THREADS = 8

sys.stdin.readline()
threading.stack_size(max(1 << 16, os.sysconf("SC_THREAD_STACK_MIN")))
try:
    for _ in range(THREADS):
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
except RuntimeError:
    print("lacks threads", flush=True)
signal.signal(signal.SIGRTMIN, lambda *_: None)
libc = ctypes.CDLL(None)
if libc.pthread_kill(ctypes.c_ulong(threading.get_ident()), int(signal.SIGRTMIN)) != 0:
    print("lacks signals", flush=True)
print("done", flush=True)
sys.stdin.readline()
