"""Synchronisation of the lanes (threads) of a GPU block. On a CPU every lane runs alone and these do nothing.

A step runs far more code than a GPU's instruction cache holds, so its time goes into fetching instructions. Lanes that
run the same part at the same time fetch it once: they are synchronised between the parts of a step.
"""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
""")
def sync_block() -> None:
    """Waits until every lane of the block is here."""
    ...


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return __syncthreads_or(value);
#else
    return value;
#endif
""")
def any_lane(value: int) -> int:
    """Waits likewise; not 0 if the value is not 0 in any lane of the block."""
    ...
