"""Numbers kept within limits that they rarely reach.

A core of a CPU then guesses that the number stays as it is, and goes on with it. Without that advice the compiler
computes a minimum and a maximum, and everything that follows has to wait for them.
"""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

_CLAMP = """
#if defined(__CUDA_ARCH__)
#define RARELY(condition) (condition)
#else
#define RARELY(condition) __builtin_expect(condition, 0)
#endif
{clamp}
#undef RARELY
    return x;
"""


@wp.func_native(_CLAMP.format(clamp="if (RARELY(x > limit)) x = limit; if (RARELY(x < -limit)) x = -limit;"))
def within(x: float, limit: float) -> float:
    """x, but at least -limit and at most limit."""
    ...


@wp.func_native(_CLAMP.format(clamp="if (RARELY(x < 0.0f)) x = 0.0f;"))
def not_negative(x: float) -> float:
    """x, but 0 where it is negative."""
    ...
