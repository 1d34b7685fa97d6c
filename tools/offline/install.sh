#!/usr/bin/env bash
# Installs what pack.sh downloaded: tools/offline/install.sh FOLDER
set -euo pipefail
cd "$1"
for first in *.part00; do
    cat "${first%.part00}".part* > "${first%.part00}"
done
python3 -m pip install --quiet --no-deps --no-index --no-compile ./*.whl
python3 -c "import gymnasium, pydantic, torch, warp; print('Warp', warp.__version__, 'PyTorch', torch.__version__)"
