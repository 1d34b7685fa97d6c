"""The demo: agents on few tasks, and the report of their runs."""

import re
from pathlib import Path

from tumble.cli import demo
from tumble.runs.log import read


def test_the_demo_ends_in_a_report(tmp_path: Path) -> None:
    demo.run(tmp_path, limit=2, workers=1, scenarios=("6",), size=(48, 32))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    names = (
        "RAND",
        "MEM",
        "MEM-O",
        "OPTIMAL",
        "PHYRE-B, across templates",
        "PHYRE-B, within templates",
        "Phy-Q",
        "ComPhy",
    )
    for word in (*names, "<svg"):
        assert word in page
    assert page.count('<video src="data:video/mp4') == 5 * demo.COMPHY_SETS
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    made = {(log.header["agent"], log.header["setting"]) for log in map(read, (tmp_path / "runs").iterdir())}
    assert {(agent, setting) for agent in demo.AGENTS for setting in demo.SETTINGS} <= made
    assert {(agent, "broad") for agent in demo.PHYQ_AGENTS} <= made
