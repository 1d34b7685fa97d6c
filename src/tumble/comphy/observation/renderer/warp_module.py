"""The Warp module of all kernels of the renderer: compiled as one, since much of the time goes into Warp's headers."""

import warp as wp

KERNELS = wp.get_module(__name__)
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

BLOCK = 128
"""Threads in a GPU block."""
BLOCKS_PER_MULTIPROCESSOR = 4
"""That fit by their registers: without a limit, kernels that trace rays take so many that only 3 do."""
RAY_KERNEL = {"launch_bounds": (BLOCK, BLOCKS_PER_MULTIPROCESSOR), "grid_stride": False}
"""Options of a kernel that traces rays on a GPU."""
