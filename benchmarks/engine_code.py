"""How much machine code the engine's kernels have on a GPU, function by function, how much stack a thread takes, and
how long they take to compile.

    python benchmarks/engine_code.py [--arch 90] [--all]

It needs no GPU: the compiler comes with Warp. The first call on a GPU waits for it. With --all also the kernels of
phases. Functions are listed that are not inlined; the rest of a kernel is `(inlined)`.
"""

import argparse
import re
import struct
import tempfile
import time
from pathlib import Path
from typing import Any

import warp as wp
from table import Results

from tumble import engine
from tumble.engine.host.stepping import FEW_WORLDS, MANY_WORLDS, PhaseSettings
from tumble.engine.rollout.kernels import kernels_for
from tumble.engine.rollout.phases import STEP_PHASES, step_kernel
from tumble.phyre.catalogue.task import HOLD_STEPS

SECTION = struct.Struct("<IIQQQQIIQQ")
"""Of an ELF file: name, type, flags, address, offset, size, link, information, alignment, size of entries."""
SYMBOL = struct.Struct("<IBBHQQ")
"""Name, kind, visibility, section, address, size."""
FUNCTION = 2
ATTRIBUTE = struct.Struct("<BBH")
"""Of a section with attributes of kernels: format, what it is, and its size if it has this format …"""
SIZED = 4
FRAME_SIZE = 0x11
SHOWN = 6
"""The largest functions of a kernel that are named."""


def sections_of(content: bytes) -> list[tuple[str, bytes]]:
    """The sections of an ELF file, with their names."""
    begin = struct.unpack_from("<Q", content, 40)[0]
    size, count, names_at = struct.unpack_from("<HHH", content, 58)
    headers = [SECTION.unpack_from(content, begin + k * size) for k in range(count)]
    bodies = [content[one[4] : one[4] + one[5]] for one in headers]
    return [(_text(bodies[names_at], one[0]), body) for one, body in zip(headers, bodies, strict=True)]


def code_of(content: bytes) -> tuple[int, dict[str, int]]:
    """Bytes of the code in a compiled kernel, and of each function in it that is not inlined."""
    sections = sections_of(content)
    total = sum(len(body) for name, body in sections if name.startswith(".text."))
    by_name = dict(sections)
    functions: dict[str, int] = {}
    for name, kind, _, _, _, size in SYMBOL.iter_unpack(by_name[".symtab"]):
        full = _text(by_name[".strtab"], name)
        if size and kind & 15 == FUNCTION and "$" in full:
            functions[_plain(full)] = functions.get(_plain(full), 0) + size
    return total, functions


def stack_of(content: bytes) -> int:
    """Bytes of the stack that a thread of a compiled kernel takes: of the functions in it, the largest frame."""
    attributes, at, largest = dict(sections_of(content))[".nv.info"], 0, 0
    while at < len(attributes):
        kind, what, size = ATTRIBUTE.unpack_from(attributes, at)
        at += ATTRIBUTE.size
        if kind == SIZED:
            if what == FRAME_SIZE:
                largest = max(largest, struct.unpack_from("<II", attributes, at)[1])
            at += size
    return largest


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode()


def _plain(name: str) -> str:
    """The name of a Warp function, or of one of the compiler's, without what is added to it."""
    found = re.search(r"_cu_[0-9a-f]{8}\d+(\w+?)_0E", name)
    return found[1] if found else name.rpartition("$")[2]


def compiled(kernel: Any, arch: int) -> tuple[float, bytes]:
    """Seconds that compiling takes, and the compiled kernel."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        wp.compile_aot_module(kernel.module, arch=arch, module_dir=folder, use_ptx=False)
        return time.perf_counter() - start, next(Path(folder).glob("*.cubin")).read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", type=int, default=90, help="kind of GPU, such as 90 for an H200")
    parser.add_argument("--all", action="store_true", help="also the kernels of phases")
    arguments = parser.parse_args()
    known = wp.get_cuda_supported_archs()
    if arguments.arch not in known:
        parser.error(f"--arch {arguments.arch}: Warp compiles for {', '.join(map(str, known))}")
    results = Results(f"Code of the engine's kernels, {engine.physics_id()}, for GPUs of kind {arguments.arch}")
    rule = engine.touching(0, 1, HOLD_STEPS)
    few, many = (kernels_for(rule, one_module=False, registers=one.registers) for one in (FEW_WORLDS, MANY_WORLDS))
    kernels = {"fused, roll_out, few worlds": few.roll_out}
    kernels |= {f"fused, {name}": getattr(many, name) for name in ("roll_out", "approach", "branch")}
    if arguments.all:
        kernels |= {f"phase {name}": step_kernel(name, PhaseSettings().registers) for name in STEP_PHASES}
    for name, kernel in kernels.items():
        seconds, content = compiled(kernel, arguments.arch)
        total, functions = code_of(content)
        functions["(inlined)"] = total - sum(functions.values())
        largest = sorted(functions.items(), key=lambda one: -one[1])[:SHOWN]
        named = ", ".join(f"{own} {size / 1e3:.0f}" for own, size in largest)
        note = f"compiled in {seconds:.1f} s; a thread's stack has {stack_of(content):,} bytes; {named}"
        results.add(name, f"{total / 1e3:.0f} kB", note=note)
    results.finish("engine-code")


if __name__ == "__main__":
    main()
