"""`tumble phyre simulate`."""

import re
from pathlib import Path

import pytest
from phyre_commands import placed, printed, refusal, run
from PIL import Image

SHELF_ACTIONS = {
    "Solved after": (72.0, 200.0, 12.0),
    "Not solved in 1000 steps (16.7 s)": (200.0, 50.0, 8.0),
}


@pytest.mark.parametrize("outcome", SHELF_ACTIONS)
def test_simulate_prints_the_outcome(outcome: str, shelf: Path) -> None:
    x, y, radius = SHELF_ACTIONS[outcome]
    text = printed("simulate", shelf, *placed((x, y, radius)))
    assert text.startswith(f"shelf:B, tier B: a ball of radius {radius:.0f} at ({x:.0f}, {y:.0f})\n{outcome}")


def test_simulate_places_balls_polygons_and_points(shelf: Path, tmp_path: Path) -> None:
    text = printed("simulate", shelf, "--ball", "72,200,12", "--polygon", "180,100 200,100 190,130")
    assert "1 ball and 1 polygon" in text
    points = tmp_path / "points.txt"
    points.write_text("100 200\n101,200\n\n110 200\n")
    assert "2 drawn shapes" in printed("simulate", shelf, "--points", points, "--stable")
    same = printed("simulate", shelf, *placed((72.0, 200.0, 12.0))).splitlines()[1]
    assert printed("simulate", shelf, "--ball", "72,200,12").splitlines()[1] == same


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["0.5", "0.5", "0.5", "--ball", "1,2,3"], "give either the numbers of an action or --ball, --polygon"),
        (["--ball", "1,2"], "ball 0 must be x, y and radius, as finite numbers in pixels, got [1.0, 2.0]"),
        (["--ball", "a,b,c"], "--ball must be \"x,y,radius\" in pixels; 'a,b,c' is not numbers with commas"),
        (["--polygon", "1,2 3,4"], "polygon 0: it must have 3 or more vertices, got 2"),
        (["--points", "no_such.txt"], "no_such.txt: No such file or directory"),
        (["--ball", "2,100,5"], "invalid: the placed ball leaves the scene, which is 256 by 256 pixels"),
        (
            ["--ball", "100,200,5", "--polygon", "90,190 110,190 100,210"],
            "invalid: placed body 1 overlaps placed body 2",
        ),
    ],
)
def test_simulate_explains_wrong_input(options: list[str], why: str, shelf: Path) -> None:
    assert refusal("simulate", shelf, *options).startswith(why)


def test_simulate_names_the_line_of_a_wrong_point(shelf: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.txt"
    points.write_text("100 200\n1.5 2\n")
    why = f"{points}, line 2: expected x and y as whole numbers, got '1.5 2'"
    assert refusal("simulate", shelf, "--points", points) == why


def test_simulate_takes_two_balls_for_tier_2b(shelf: Path) -> None:
    text = printed("simulate", f"{shelf}#shelf:2B", *placed((72.0, 200.0, 12.0), (200.0, 50.0, 8.0)), "--stable")
    assert "a ball of radius 12 at (72, 200) and a ball of radius 8 at (200, 50)\nStably solved after" in text


def test_simulate_lists_contacts_between_bodies(shelf: Path) -> None:
    text = printed("simulate", shelf, *placed((200.0, 50.0, 8.0)), "--events")
    fall = 50.0 - 8.0  # pixels; the ball needs sqrt(2 fall / g) seconds for it, with 6 pixels to a metre
    landing = next(line.split() for line in text.splitlines() if "the placed ball" in line)
    assert float(landing[0]) == pytest.approx((2.0 * fall / 6.0 / 9.8) ** 0.5, abs=0.05)
    assert " ".join(landing[1:]) == "touch the floor the placed ball"
    assert re.search(r"touch\s+the shelf\s+the ball", text)


def test_simulate_writes_a_picture_and_an_animation(shelf: Path, tmp_path: Path) -> None:
    png, gif = tmp_path / "start.png", tmp_path / "attempt.gif"
    printed("simulate", shelf, *placed((72.0, 200.0, 12.0)), "--png", png, "--gif", gif, "--size", 64, "--stride", 6)
    with Image.open(gif) as animation, Image.open(png) as picture:
        assert animation.size == picture.size == (64, 64)
        assert animation.n_frames > 10


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((0.4, 0.7), "task shelf:B is of tier B and takes 3 numbers: x y radius; got 2"),
        ((0.4, 0.7, 0.2, 0.5, 0.5, 0.1), "task shelf:B is of tier B and takes 3 numbers: x y radius; got 6"),
        ((0.4, 1.5, 0.2), "y is 1.5; x, y and radius are numbers from 0 to 1"),
        ((-0.1, 0.5, 0.2), "x is -0.1; x, y and radius are numbers from 0 to 1"),
        ((0.4, 0.5, "nan"), "radius is nan; x, y and radius are numbers from 0 to 1"),
        ((0.4, "high", 0.2), "x, y and radius are numbers from 0 to 1, not 'high'"),
        (
            (0.0, 0.5, 0.2),
            "invalid: the placed ball leaves the scene: radius 8.0 at (0.0, 127.5), and the scene is 256 by 256 pixels",
        ),
        (placed((80.0, 88.0, 8.0)), "invalid: the placed ball overlaps the shelf and the ball"),
    ],
)
def test_simulate_explains_invalid_actions(numbers: tuple[object, ...], why: str, shelf: Path) -> None:
    assert refusal("simulate", shelf, *numbers) == why


def test_simulate_reports_which_of_two_balls_overlaps(shelf: Path) -> None:
    overlapping = placed((72.0, 200.0, 12.0), (80.0, 88.0, 8.0))
    why = "invalid: placed ball 2 overlaps the shelf and the ball"
    assert refusal("simulate", f"{shelf}#shelf:2B", *overlapping) == why


def test_simulate_reports_that_two_balls_are_too_close(shelf: Path) -> None:
    two = placed((150.0, 150.0, 10.0), (170.5, 150.0, 10.0))
    why = "invalid: the two balls are too close: 0.5 pixels apart, and they must be 1 pixel apart"
    assert refusal("simulate", f"{shelf}#shelf:2B", *two) == why


def test_simulate_refuses_files_it_could_not_write(shelf: Path, tmp_path: Path) -> None:
    numbers = placed((72.0, 200.0, 12.0))
    assert refusal("simulate", shelf, *numbers, "--gif", "x.jpg").endswith("must end in .gif or .webp")
    assert refusal("simulate", shelf, *numbers, "--png", "x.gif").endswith("must end in .png")
    nowhere = tmp_path / "nowhere"
    assert refusal("simulate", shelf, *numbers, "--gif", nowhere / "x.gif").endswith(f"there is no folder {nowhere}")
    assert "--stride 2" in refusal("simulate", shelf, *numbers, "--gif", tmp_path / "x.gif", "--stride", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["shelf.json"]


def test_simulate_refuses_unknown_devices_and_options(shelf: Path) -> None:
    assert "there is no device 'tpu'" in refusal("simulate", shelf, 0.5, 0.5, 0.1, "--device", "tpu")
    result = run("simulate", shelf, 0.5, 0.5, 0.1, "--gfi", "x.gif")
    assert result.exit_code == 2
    assert "no such option: --gfi" in result.stderr
