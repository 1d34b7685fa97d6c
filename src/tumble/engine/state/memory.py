"""Reading and writing the engine's state, by address.

Warp's own indexing carries 56 bytes for each array into every function, multiplies by a stride known only at run time
and tests for negative indices at every access; that costs the engine a third of its speed. These functions are the
only ones that bypass it. Item k of a lane is at `first + k * stride`; on a CPU a lane is contiguous, so the stride is
1. The capacities in `layout.py` keep every index inside; tests run with small ones.
"""

import warp as wp

from tumble.scene.warp_log import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

# Items are not negative: an x86 core extends unsigned numbers to 64 bits at no cost, but signed ones by an instruction.
# CUDA is told that addresses are of global memory: accesses need no order with those of the thread's own stack. A vec4
# is one access of 16 bytes instead of four of 4.
_READ_INT = """
#if defined(__CUDA_ARCH__)
    return ((const int*)__cvta_global_to_generic(base))[first + item * stride];
#else
    return ((const int*)base)[(unsigned)(first + item)];
#endif
"""
_WRITE_INT = """
#if defined(__CUDA_ARCH__)
    ((int*)__cvta_global_to_generic(base))[first + item * stride] = value;
#else
    ((int*)base)[(unsigned)(first + item)] = value;
#endif
"""
_READ_VEC = """
#if defined(__CUDA_ARCH__)
    const float4 f = ((const float4*)__cvta_global_to_generic(base))[first + item * stride];
    return wp::vec_t<4, wp::float32>(f.x, f.y, f.z, f.w);
#else
    return ((const wp::vec_t<4, wp::float32>*)base)[(unsigned)(first + item)];
#endif
"""
_WRITE_VEC = """
#if defined(__CUDA_ARCH__)
    float4* place = (float4*)__cvta_global_to_generic(base) + first + item * stride;
    *place = make_float4(value[0], value[1], value[2], value[3]);
#else
    ((wp::vec_t<4, wp::float32>*)base)[(unsigned)(first + item)] = value;
#endif
"""
_CONSTANT_VEC = """
#if defined(__CUDA_ARCH__)
    const float4 f = __ldg((const float4*)base + item);
    return wp::vec_t<4, wp::float32>(f.x, f.y, f.z, f.w);
#else
    return ((const wp::vec_t<4, wp::float32>*)base)[(unsigned)item];
#endif
"""
_CONSTANT = """
#if defined(__CUDA_ARCH__)
    return ((const {type}*)__cvta_global_to_generic(base))[item];
#else
    return ((const {type}*)base)[(unsigned)item];
#endif
"""
# the threads of a warp that count together do so in one access
_CLAIM = """
#if defined(__CUDA_ARCH__)
    int* counter = (int*)base + item;
    const unsigned same = __match_any_sync(__activemask(), (unsigned long long)counter);
    const int lane = threadIdx.x & 31;
    const int leader = __ffs(same) - 1;
    int first = 0;
    if (lane == leader)
        first = atomicAdd(counter, __popc(same));
    first = __shfl_sync(same, first, leader);
    return first + __popc(same & ((1u << lane) - 1u));
#else
    return ((int*)base)[item]++;
#endif
"""


# of a lane: on a CPU the address is that of the lane's first item
_OF_LANE = ("(first + item)", "item")


@wp.func_native(_READ_INT.replace(*_OF_LANE))
def lane_int(base: wp.uint64, first: int, item: int, stride: int) -> int: ...


@wp.func_native(_WRITE_INT.replace(*_OF_LANE))
def set_lane_int(base: wp.uint64, first: int, item: int, stride: int, value: int) -> None: ...


@wp.func_native(_READ_VEC.replace(*_OF_LANE))
def lane_vec(base: wp.uint64, first: int, item: int, stride: int) -> wp.vec4: ...


@wp.func_native(_WRITE_VEC.replace(*_OF_LANE))
def set_lane_vec(base: wp.uint64, first: int, item: int, stride: int, value: wp.vec4) -> None: ...


@wp.func_native(_READ_INT)
def read_int(base: wp.uint64, first: int, item: int, stride: int) -> int: ...


@wp.func_native(_WRITE_INT)
def write_int(base: wp.uint64, first: int, item: int, stride: int, value: int) -> None: ...


@wp.func_native(_READ_VEC)
def read_vec(base: wp.uint64, first: int, item: int, stride: int) -> wp.vec4: ...


@wp.func_native(_WRITE_VEC)
def write_vec(base: wp.uint64, first: int, item: int, stride: int, value: wp.vec4) -> None: ...


@wp.func_native(_CONSTANT.format(type="int"))
def constant_int(base: wp.uint64, item: int) -> int: ...


@wp.func_native(_CONSTANT_VEC)
def constant_vec(base: wp.uint64, item: int) -> wp.vec4: ...


@wp.func_native(_CONSTANT.format(type="float"))
def constant_float(base: wp.uint64, item: int) -> float: ...


@wp.func_native(_CLAIM)
def claim(base: wp.uint64, item: int) -> int:
    """Adds 1 to a counter that all threads share and returns what it was."""
    ...
