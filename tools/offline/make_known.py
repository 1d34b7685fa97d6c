"""Makes a checkout known to Python as an installed package, without a build: make_known.py CHECKOUT

Writes a .pth file, and the package's name, version and entry points, to the folder of installed packages.
"""

import re
import sys
import sysconfig
from pathlib import Path

import tomllib


def main() -> None:
    """Writes the files."""
    root = Path(sys.argv[1]).resolve()
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    project, source = settings["project"], (root / settings["tool"]["hatch"]["version"]["path"]).read_text()
    version = re.findall(r'__version__ = "(.*)"', source)[0]
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "tumble-checkout.pth").write_text(f"{root / 'src'}\n")
    info = packages / f"tumble-{version}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tumble\nVersion: {version}\n")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [
        line for group, each in groups.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in each.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
