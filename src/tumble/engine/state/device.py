"""Which kind of device a kernel runs on, known when it is compiled: the other's code is left out."""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return false;
#else
    return true;
#endif
""")
def on_cpu() -> bool:
    """Whether this is a CPU: more code and more branches cost nothing there, but neighbouring lanes of a GPU wait."""
    ...
