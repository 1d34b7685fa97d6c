#!/usr/bin/env bash
# Downloads what an x86 machine with Python 3.12 and PyTorch, but without a network, needs to run Tumble.
#   tools/offline/pack.sh FOLDER [BYTES]    wheels, the large one of Warp in parts of BYTES (default 29M)
# There: tools/offline/install.sh FOLDER
set -euo pipefail
folder=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$folder"
for name in warp-lang gymnasium cloudpickle farama-notifications pydantic pydantic-core annotated-types \
    typing-inspection typing-extensions av; do
    python3 -m pip download --quiet --no-deps --only-binary=:all: --constraint "$root/constraints.txt" \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --python-version 312 --dest "$folder" "$name"
done
for wheel in "$folder"/warp_lang*.whl; do
    split --bytes "${2:-29M}" --numeric-suffixes --suffix-length 2 "$wheel" "$wheel.part"
    rm "$wheel"
done
