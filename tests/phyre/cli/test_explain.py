"""`tumble phyre explain`."""

import re
from pathlib import Path

import pytest
from phyre_commands import placed, printed, refusal
from PIL import Image


@pytest.mark.slow
def test_explain_names_what_mattered_and_writes_a_picture_or_a_page(shelf: Path, tmp_path: Path) -> None:
    """The placed ball knocks the ball off the shelf; without either it would not come to the floor."""
    numbers = placed((72.0, 200.0, 12.0))
    text = printed("explain", shelf, *numbers, "-o", tmp_path / "why.png")
    rows = {line.split("  ")[0].strip(): line for line in text.splitlines()}
    assert "yes" in rows["the placed ball"]
    assert "not solved" in rows["the placed ball"]
    assert re.search(r"1  \d\.\d\d s  the placed ball → the ball\n2  \d+\.\d\d s  the ball → the floor", text)
    with Image.open(tmp_path / "why.png") as picture:
        assert min(picture.size) > 500
    printed("explain", shelf, *numbers, "-o", tmp_path / "why.html")
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert page.count("<tr>") > 3
    assert "data:image/png;base64," in page
    assert refusal("explain", shelf, *numbers, "-o", tmp_path / "why.txt").endswith("must end in .png or .html")
    assert (
        refusal("explain", shelf, *placed((80.0, 90.0, 8.0)))
        == "invalid: the placed ball overlaps the shelf and the ball"
    )
