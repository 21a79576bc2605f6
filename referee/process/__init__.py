"""What a process is to the referee: its pipes, what it prints, what the kernel shows of it."""
