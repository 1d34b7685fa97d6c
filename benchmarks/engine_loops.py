"""The loops in the machine code of the engine's fused kernels on a GPU: how many instructions each has, and how many of
these read or write the stack, which is slow.

    pip install nvidia-cuda-nvdisasm
    python benchmarks/engine_loops.py [--arch 90] [--kernel roll_out] [--least 100]

It needs no GPU. A loop is named by the function and line of the jump at its end, as far as the compiler says. It
unrolls loops, moves code and copies functions into others, so that one loop in Python may be several here.
"""

import argparse
import ast
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import warp as wp
from table import Results

from tumble import engine
from tumble.engine.host.stepping import FEW_WORLDS, MANY_WORLDS, FusedSettings
from tumble.engine.rollout.kernels import kernels_for
from tumble.phyre.catalogue.task import HOLD_STEPS

LABEL = re.compile(r"(\.L_\w+):")
SOURCE = re.compile(r'//## File "(.*)", line (\d+)')
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*);")
JUMP_TO = re.compile(r"`\((\.L_\w+)\)")
STACK = ("LDL", "STL")
ROOT = Path(engine.__file__).parent


@dataclass(frozen=True)
class Instruction:
    name: str
    """Without what follows a dot."""
    place: str
    """Function and line of the engine that it was compiled from, or of the instruction before it."""
    target: str
    """The label to which it jumps, or nothing."""


def disassemble(nvdisasm: str, file: Path) -> tuple[list[Instruction], dict[str, int]]:
    """The instructions of a compiled kernel, and the labels with the number of the instruction that follows."""
    text = subprocess.run([nvdisasm, "-g", "-c", str(file)], capture_output=True, text=True, check=True).stdout
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    place = ""
    for line in text.splitlines():
        if found := SOURCE.search(line):
            place = place_of(Path(found[1]), int(found[2])) or place
        elif found := LABEL.match(line.strip()):
            labels[found[1]] = len(instructions)
        elif found := INSTRUCTION.match(line):
            jump = JUMP_TO.search(found[2]) if found[1].startswith("BRA") else None
            instructions.append(Instruction(found[1].split(".")[0], place, jump[1] if jump else ""))
    return instructions, labels


def place_of(file: Path, line: int) -> str:
    """The function of a line of the engine, and the line; nothing for other code."""
    if ROOT not in file.parents:
        return ""
    lines, names = functions_of(file)
    at = bisect_right(lines, line) - 1
    return f"{file.stem}.{names[at] if at >= 0 else ''}:{line}"


@cache
def functions_of(file: Path) -> tuple[list[int], list[str]]:
    """The first lines of a file's functions, ascending, and their names."""
    found = [one for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(one, ast.FunctionDef)]
    found.sort(key=lambda one: one.lineno)
    return [one.lineno for one in found], [one.name for one in found]


def loops_of(instructions: list[Instruction], labels: dict[str, int]) -> list[tuple[int, int]]:
    """The first and last instruction of each loop: what lies between a jump back and where it jumps to."""
    ends = [(labels[one.target], k) for k, one in enumerate(instructions) if one.target in labels]
    return sorted((first, last) for first, last in ends if first <= last)


def compiled(kernel_name: str, settings: FusedSettings, arch: int, folder: Path) -> Path:
    """A kernel of PHYRE, compiled with the lines of its source."""
    kernels = kernels_for(engine.touching(0, 1, HOLD_STEPS), one_module=False, registers=settings.registers)
    module = getattr(kernels, kernel_name).module
    module.options |= {"block_dim": settings.block, "lineinfo": True}
    wp.compile_aot_module(module, arch=arch, module_dir=folder, use_ptx=False)
    (file,) = folder.glob("*.cubin")
    return file


def disassembler() -> str:
    """The path of nvdisasm."""
    packaged = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin/nvdisasm"))
    found = shutil.which("nvdisasm") or (str(packaged[-1]) if packaged else None)
    if found is None:
        sys.exit("nvdisasm is missing: pip install nvidia-cuda-nvdisasm")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", type=int, default=90, help="kind of GPU, such as 90 for an H200")
    parser.add_argument("--kernel", default="roll_out", choices=("roll_out", "approach", "branch"))
    parser.add_argument("--least", type=int, default=100, help="instructions of the shortest loop that is shown")
    arguments = parser.parse_args()
    nvdisasm = disassembler()
    results = Results(f"Loops of the engine's kernels, {engine.physics_id()}, for GPUs of kind {arguments.arch}")
    for worlds, settings in (("few worlds", FEW_WORLDS), ("many worlds", MANY_WORLDS)):
        with tempfile.TemporaryDirectory() as folder:
            file = compiled(arguments.kernel, settings, arguments.arch, Path(folder))
            instructions, labels = disassemble(nvdisasm, file)
        name = f"{arguments.kernel}, {worlds}"
        add(results, f"{name}, all", instructions)
        for first, last in loops_of(instructions, labels):
            if last - first >= arguments.least:
                add(results, f"{name}, {instructions[last].place}", instructions[first : last + 1])
    results.finish("engine-loops")


def add(results: Results, figure: str, instructions: list[Instruction]) -> None:
    """A row with the number of instructions, of those on the stack, and of calls."""
    names = [one.name for one in instructions]
    on_stack = sum(name in STACK for name in names)
    results.add(figure, f"{len(names)} instructions", note=f"{on_stack} on the stack, {names.count('CALL')} calls")


if __name__ == "__main__":
    main()
