"""Code size, registers and stack of compiled CUDA kernels, read from their files."""

import struct
from dataclasses import dataclass
from pathlib import Path

REGISTERS = 0x2F
STACK = 0x11


@dataclass(frozen=True)
class KernelCode:
    """What a kernel's file says of it."""

    code_bytes: int
    registers: int
    stack_bytes: int


def kernel_code(path: Path) -> KernelCode:
    """Reads a cubin with one kernel, an ELF file of 64 bits."""
    data = path.read_bytes()
    table, entry, count, names_at = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, table + k * entry) for k in range(count)]
    strings = sections[names_at][4]
    code = registers = stack = 0
    for name_at, _kind, _flags, _address, offset, size in sections:
        end = data.index(b"\0", strings + name_at)
        name = data[strings + name_at : end].decode()
        if name.startswith(".text."):
            code += size
        elif name == ".nv.info":
            values = _attributes(data[offset : offset + size])
            registers = max(values.get(REGISTERS, [0]))
            stack = max(values.get(STACK, [0]))
    return KernelCode(code, registers, stack)


def _attributes(data: bytes) -> dict[int, list[int]]:
    """The attributes with a symbol and a value, by their number."""
    found: dict[int, list[int]] = {}
    at = 0
    while at + 4 <= len(data):
        form, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == 4:
            if size == 8:
                found.setdefault(attribute, []).append(struct.unpack_from("<II", data, at)[1])
            at += size
    return found
