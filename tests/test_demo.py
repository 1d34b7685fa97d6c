"""The demo: a part of every benchmark, small enough for a test, on one page."""

import re
from pathlib import Path

import pytest

from tumble.cli.evaluate import run_demo
from tumble.comphy.cli import demo as comphy
from tumble.phyq.cli import demo as phyq
from tumble.phyre.cli import demo as phyre
from tumble.report import page
from tumble.runs.log import read


def test_the_demo_ends_in_a_page_about_every_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phyre, "LIMIT", 2)
    monkeypatch.setattr(phyq, "SCENARIOS", ("6",))
    monkeypatch.setattr(comphy, "SIZE", (48, 32))
    pages = []
    write = page.write
    monkeypatch.setattr(page, "write", lambda *given, **more: pages.append(more) or write(*given, **more))
    run_demo(tmp_path, workers=1)
    assert pages == [{"refresh": True}] * 4 + [{}]  # it grows: quick agents, DQN, and two more benchmarks
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    names = ("RAND", "MEM", "MEM-O", "OPTIMAL", "DQN", "PHYRE-B, across templates", "PHYRE-B, within templates")
    for word in (*names, "Phy-Q", "ComPhy", "<svg"):
        assert word in text
    assert text.count('<video src="data:video/mp4') == 5 * comphy.SETS
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    logs = [read(path) for name in ("phyre", "phyq") for path in (tmp_path / name).iterdir()]
    made = {(log.header.agent, log.header.spec["setting"]) for log in logs}
    assert {(agent, setting) for agent in phyre.AGENTS for setting in phyre.SETTINGS} <= made
    assert {(agent, "broad") for agent in phyq.AGENTS} <= made
