#!/usr/bin/env bash
# Installs what pack.sh downloaded, and makes the source of this repository known as the package: its entry points name
# the benchmarks.   tools/offline/install.sh FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$1"
for first in *.part00; do
    cat "${first%.part00}".part* > "${first%.part00}"
done
python3 -m pip install --quiet --no-deps --no-index --no-compile ./*.whl
python3 "$root/tools/offline/make_known.py" "$root"
python3 -c "import gymnasium, pydantic, torch, warp; print('Warp', warp.__version__, 'PyTorch', torch.__version__)"
python3 -m tumble --version
