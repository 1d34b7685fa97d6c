"""Synchronisation of the 32 threads of a GPU's warp, and of teams of neighbouring threads that divide it.

Every thread of the warp must call these functions at once. On a CPU every thread runs alone and is its own team.
"""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
""")
def sync_warp() -> None:
    """Waits until every thread of the warp is here and sees what the others have written."""
    ...


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return __any_sync(0xffffffffu, value);
#else
    return value;
#endif
""")
def any_of_warp(value: int) -> int:
    """Not 0 if the value is not 0 in any thread of the warp."""
    ...


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    const unsigned votes = __ballot_sync(0xffffffffu, value);
    const unsigned first = threadIdx.x & 31u & ~(unsigned)(team - 1);
    const unsigned members = team == 32 ? 0xffffffffu : (1u << team) - 1u;
    return (votes >> first & members) != 0u;
#else
    return value;
#endif
""")
def any_of_team(value: int, team: int) -> int:
    """Not 0 if the value is not 0 in any thread of the team; `team` is its size, a power of two."""
    ...


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    for (int distance = team / 2; distance > 0; distance /= 2)
        value = fminf(value, __shfl_xor_sync(0xffffffffu, value, distance));
#endif
    return value;
""")
def smallest_of_team(value: float, team: int) -> float:
    """The smallest value of the team."""
    ...
