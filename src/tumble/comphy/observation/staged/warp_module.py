"""The Warp module of the kernels for objects on stages: apart from those of spheres, cubes and cylinders.

So the pictures and the compile time of those stay as they are.
"""

import warp as wp

KERNELS = wp.get_module(__name__)
wp.set_module_options({"enable_backward": False, "fuse_fp": False})
