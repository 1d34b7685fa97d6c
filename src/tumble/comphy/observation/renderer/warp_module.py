"""The Warp module of all kernels of the renderer: compiled as one, since much of the time goes into Warp's headers."""

import warp as wp

KERNELS = wp.get_module(__name__)
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

BLOCK = 128
"""Threads in a GPU block."""
BLOCKS_PER_MULTIPROCESSOR = 4
"""Blocks that must fit; without a limit, kernels that trace rays use too many registers for more than 3."""
RAY_KERNEL = {"launch_bounds": (BLOCK, BLOCKS_PER_MULTIPROCESSOR), "grid_stride": False}
"""Options of a kernel that traces rays on a GPU."""
