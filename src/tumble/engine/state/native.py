"""All functions written in C++ and CUDA: memory, kind of device, clamps, synchronisation of lanes.

Memory is read and written by address. Warp's own indexing carries 56 bytes for each array into every function,
multiplies by a stride known only at run time and tests for negative indices at every access; that costs the engine a
third of its speed. These functions are the only ones that bypass it. The capacities in `layout.py` keep every index
inside; tests run with small ones.

An item is a field of a record that begins at item `record`. On a CPU all fields of a record are at constant distances
from one address, and records are numbered by unsigned ints, which an x86 core extends to an address at no cost. Both
together make the engine 8 % faster there.

An address is that of a lane's first item. On a CPU the items of a lane lie one after the other; on a GPU item k is
`k * stride` items further. What is the same for all lanes is read from a table: as fields of `World` these 34 numbers
would take the registers of every thread, and space on its stack at every call. With the table, kernels have 28 % less
code on a GPU and half the stack.

The kind of device is known when a kernel is compiled: the other's code is left out. Clamps are of numbers that are
rarely outside their limits. On a CPU each limit is a branch that is marked as unlikely: it is predicted, and what
follows is executed speculatively with the number as it is; minimum and maximum instructions would be waited for.

A step runs far more code than a GPU's instruction cache holds, so its time goes into fetching instructions. Lanes
that run the same part at the same time fetch it once: those of a block are synchronised between the parts of a step.
The 32 threads of a warp, and teams of neighbouring threads that divide it, are synchronised to solve one island
together; every thread of the warp must call those functions at once. On a CPU a thread is its own block and team.
"""

import warp as wp

from tumble.scene.warp_setup import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

# CUDA is told that addresses are of global memory: accesses need no order with those of the thread's own stack. A vec4
# is one access of 16 bytes instead of four of 4.
_READ = """
#if defined(__CUDA_ARCH__)
    return *(const {type}*){place};
#else
    return ((const {type}*)base + (unsigned)record)[field];
#endif
"""
_WRITE = """
#if defined(__CUDA_ARCH__)
    *({type}*){place} = value;
#else
    (({type}*)base + (unsigned)record)[field] = value;
#endif
"""
_READ_VEC = """
#if defined(__CUDA_ARCH__)
    const float4 f = *(const float4*){place};
    return wp::vec_t<4, wp::float32>(f.x, f.y, f.z, f.w);
#else
    return ((const wp::vec_t<4, wp::float32>*)base + (unsigned)record)[field];
#endif
"""
_WRITE_VEC = """
#if defined(__CUDA_ARCH__)
    *(float4*){place} = make_float4(value[0], value[1], value[2], value[3]);
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
_CONSTANT = """
#if defined(__CUDA_ARCH__)
    return __ldg((const {type}*)__cvta_global_to_generic(base) + {item});
#else
    return ((const {type}*)base)[{item}];
#endif
"""
_GLOBAL = "((char*)__cvta_global_to_generic(base) + "
_OF_LANE = _GLOBAL + "(size_t)(unsigned)record * {bytes} + (unsigned)field * {bytes})".format(
    bytes="({size}u * (unsigned)stride)"
)
_OF_ARRAY = _GLOBAL + "(long long)(record + field) * {size})"
_INT_OF_LANE, _VEC_OF_LANE = _OF_LANE.format(size=4), _OF_LANE.format(size=16)
_INT_OF_ARRAY, _VEC_OF_ARRAY = _OF_ARRAY.format(size=4), _OF_ARRAY.format(size=16)
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


@wp.func_native(_READ.format(type="int", place=_INT_OF_LANE))
def lane_int(base: wp.uint64, record: int, field: int, stride: int) -> int: ...


@wp.func_native(_WRITE.format(type="int", place=_INT_OF_LANE))
def set_lane_int(base: wp.uint64, record: int, field: int, stride: int, value: int) -> None: ...


@wp.func_native(_READ_VEC.format(place=_VEC_OF_LANE))
def lane_vec(base: wp.uint64, record: int, field: int, stride: int) -> wp.vec4: ...


@wp.func_native(_WRITE_VEC.format(place=_VEC_OF_LANE))
def set_lane_vec(base: wp.uint64, record: int, field: int, stride: int, value: wp.vec4) -> None: ...


@wp.func_native(_READ.format(type="int", place=_INT_OF_ARRAY))
def read_int(base: wp.uint64, record: int, field: int) -> int: ...


@wp.func_native(_WRITE.format(type="int", place=_INT_OF_ARRAY))
def write_int(base: wp.uint64, record: int, field: int, value: int) -> None: ...


@wp.func_native(_READ_VEC.format(place=_VEC_OF_ARRAY))
def read_vec(base: wp.uint64, record: int, field: int) -> wp.vec4: ...


@wp.func_native(_WRITE_VEC.format(place=_VEC_OF_ARRAY))
def write_vec(base: wp.uint64, record: int, field: int, value: wp.vec4) -> None: ...


@wp.func_native(_READ.format(type="float", place=_INT_OF_ARRAY))
def read_float(base: wp.uint64, record: int, field: int) -> float: ...


@wp.func_native(_CONSTANT_VEC)
def constant_vec(base: wp.uint64, record: int, field: int) -> wp.vec4:
    """A vec4 that no kernel writes."""
    ...


@wp.func_native(_CONSTANT.format(type="int", item="2 * item"))
def constant_int(base: wp.uint64, item: int) -> int:
    """One of some int64 that no kernel writes, as an int."""
    ...


@wp.func_native(_CONSTANT.format(type="unsigned long long", item="item"))
def constant_address(base: wp.uint64, item: int) -> wp.uint64:
    """One of some int64 that no kernel writes, as an address."""
    ...


@wp.func_native(_CLAIM)
def claim(base: wp.uint64, item: int) -> int:
    """Adds 1 to a counter that all threads share and returns what it was."""
    ...


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
