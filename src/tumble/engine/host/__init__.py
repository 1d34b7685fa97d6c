"""What runs outside kernels: options, packing, memory, launching, results."""
