"""Clamping of numbers that are rarely outside their limits.

On a CPU each limit is a branch that is marked as unlikely: it is predicted, and the instructions that follow are
executed speculatively with the number as it is. Without the mark the compiler emits minimum and maximum instructions,
on whose results all that follows depends.
"""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

_CLAMP = """
#if defined(__CUDA_ARCH__)
#define UNLIKELY(condition) (condition)
#else
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#endif
{clamp}
#undef UNLIKELY
    return x;
"""


@wp.func_native(_CLAMP.format(clamp="if (UNLIKELY(x > limit)) x = limit; if (UNLIKELY(x < -limit)) x = -limit;"))
def within(x: float, limit: float) -> float:
    """x, but at least -limit and at most limit."""
    ...


@wp.func_native(_CLAMP.format(clamp="if (UNLIKELY(x < 0.0f)) x = 0.0f;"))
def not_negative(x: float) -> float:
    """x, but 0 where it is negative."""
    ...
