"""Reading and writing the engine's state, by address.

Warp's own indexing carries 56 bytes for each array into every function, multiplies by a stride known only at run time
and tests for negative indices at every access; that costs the engine a third of its speed. These functions are the
only ones that bypass it. The capacities in `layout.py` keep every index inside; tests run with small ones.

An item is a field of a record that begins at item `record`. On a CPU all fields of a record are at constant distances
from one address, and records are numbered by unsigned ints, which an x86 core extends to an address at no cost. Both
together make the engine 8 % faster there.

Items of a lane lie one after the other on a CPU, beginning at the address. On a GPU lanes are interleaved: item k of a
lane is at `first + k * stride`.
"""

import warp as wp

from tumble.scene.warp_log import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

# CUDA is told that addresses are of global memory: accesses need no order with those of the thread's own stack. A vec4
# is one access of 16 bytes instead of four of 4.
_READ = """
#if defined(__CUDA_ARCH__)
    return ((const {type}*)__cvta_global_to_generic(base))[{item}];
#else
    return ((const {type}*)base + (unsigned)record)[field];
#endif
"""
_WRITE = """
#if defined(__CUDA_ARCH__)
    (({type}*)__cvta_global_to_generic(base))[{item}] = value;
#else
    (({type}*)base + (unsigned)record)[field] = value;
#endif
"""
_READ_VEC = """
#if defined(__CUDA_ARCH__)
    const float4 f = ((const float4*)__cvta_global_to_generic(base))[{item}];
    return wp::vec_t<4, wp::float32>(f.x, f.y, f.z, f.w);
#else
    return ((const wp::vec_t<4, wp::float32>*)base + (unsigned)record)[field];
#endif
"""
_WRITE_VEC = """
#if defined(__CUDA_ARCH__)
    float4* place = (float4*)__cvta_global_to_generic(base) + {item};
    *place = make_float4(value[0], value[1], value[2], value[3]);
#else
    ((wp::vec_t<4, wp::float32>*)base + (unsigned)record)[field] = value;
#endif
"""
_CONSTANT_VEC = """
#if defined(__CUDA_ARCH__)
    const float4 f = __ldg((const float4*)base + record + field);
    return wp::vec_t<4, wp::float32>(f.x, f.y, f.z, f.w);
#else
    return ((const wp::vec_t<4, wp::float32>*)base + (unsigned)record)[field];
#endif
"""
_OF_LANE = "first + (record + field) * stride"
_OF_ARRAY = "record + field"
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


@wp.func_native(_READ.format(type="int", item=_OF_LANE))
def lane_int(base: wp.uint64, first: int, record: int, field: int, stride: int) -> int: ...


@wp.func_native(_WRITE.format(type="int", item=_OF_LANE))
def set_lane_int(base: wp.uint64, first: int, record: int, field: int, stride: int, value: int) -> None: ...


@wp.func_native(_READ_VEC.format(item=_OF_LANE))
def lane_vec(base: wp.uint64, first: int, record: int, field: int, stride: int) -> wp.vec4: ...


@wp.func_native(_WRITE_VEC.format(item=_OF_LANE))
def set_lane_vec(base: wp.uint64, first: int, record: int, field: int, stride: int, value: wp.vec4) -> None: ...


@wp.func_native(_READ.format(type="int", item=_OF_ARRAY))
def read_int(base: wp.uint64, record: int, field: int) -> int: ...


@wp.func_native(_WRITE.format(type="int", item=_OF_ARRAY))
def write_int(base: wp.uint64, record: int, field: int, value: int) -> None: ...


@wp.func_native(_READ_VEC.format(item=_OF_ARRAY))
def read_vec(base: wp.uint64, record: int, field: int) -> wp.vec4: ...


@wp.func_native(_WRITE_VEC.format(item=_OF_ARRAY))
def write_vec(base: wp.uint64, record: int, field: int, value: wp.vec4) -> None: ...


@wp.func_native(_READ.format(type="float", item=_OF_ARRAY))
def read_float(base: wp.uint64, record: int, field: int) -> float: ...


@wp.func_native(_CONSTANT_VEC)
def constant_vec(base: wp.uint64, record: int, field: int) -> wp.vec4:
    """A vec4 that no kernel writes."""
    ...


@wp.func_native(_CLAIM)
def claim(base: wp.uint64, item: int) -> int:
    """Adds 1 to a counter that all threads share and returns what it was."""
    ...
