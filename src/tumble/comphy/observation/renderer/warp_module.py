"""The Warp module of all kernels of the renderer: compiled as one, since much of the time goes into Warp's headers."""

import warp as wp

KERNELS = wp.get_module(__name__)
wp.set_module_options({"enable_backward": False, "fuse_fp": False})
