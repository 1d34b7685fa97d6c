"""How the lanes of a GPU's block keep together. On a CPU every lane stands alone.

What a step runs is far more code than a GPU's instruction cache holds, so the time goes into fetching it. Lanes that
run the same part at the same time fetch it once: they wait for each other between the parts of a step.
"""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
""")
def keep_pace() -> None:
    """Has the lanes of the block wait for each other."""
    ...


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return __syncthreads_or(value);
#else
    return value;
#endif
""")
def any_lane(value: int) -> int:
    """Whether the value is not 0 in any lane of the block."""
    ...
