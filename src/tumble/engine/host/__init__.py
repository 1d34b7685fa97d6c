"""What runs outside the kernel: packing worlds, memory, launching, results."""
