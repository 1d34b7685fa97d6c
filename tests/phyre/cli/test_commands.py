"""The `tumble phyre` commands: what they print and write, and how they refuse."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.color import Color
from rich.console import Console
from typer.testing import CliRunner, Result

from tumble import phyre
from tumble.cli.app import app
from tumble.phyre.cli import terminal
from tumble.phyre.cli.describe import action_text, describe_goal, placement_problem
from tumble.phyre.generation import analyse
from tumble.phyre.generation.solutions import solutions
from tumble.phyre.observation.body_names import body_name
from tumble.phyre.simulation.actions import from_balls, sample_valid
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.templates import NAMES, published_numbers
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Body, Circle, Scene, box

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
COMMANDS = ("list", "show", "simulate", "explain", "sweep", "evaluate", "analyse", "import")

TEMPLATE = '''"""A ball above the floor, which falls on it by itself."""

from tumble.phyre.tasks.shapes import ball, bar

ID = "mine"
TIER = "B"
PARAMETERS = {"x": (0.2, 0.4, 0.6, 0.8)}


def build(world, x):
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(world.dynamic(ball(0.1), "ball", cx=x, bottom=0.5), floor)
'''


def run(*arguments: object) -> Result:
    return runner.invoke(app, ["phyre", *map(str, arguments)])


def printed(*arguments: object) -> str:
    """What a command prints on success."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object) -> str:
    """The one-line error message of a command."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("Warp ")]
    return line.removeprefix("tumble: ")


def row(text: str, first: str) -> list[str]:
    """The cells of a table's row."""
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [first]]
    return re.split(r"\s{2,}", line.strip())


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEMPLATE)
    return path


# Help


@pytest.mark.parametrize("command", [(), *((command,) for command in COMMANDS)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    assert f"tumble phyre {command[0] if command else ''}" in printed(*command, "--help").partition("Example")[2]


def test_help_does_not_wait_for_warp() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from tumble.cli.app import app;"
        "done = CliRunner().invoke(app, ['phyre', '--help']);"
        "sys.exit(done.exit_code or 'warp' in sys.modules or 'tumble.engine' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# How tasks are selected


def test_a_file_selects_its_first_task(template: Path) -> None:
    assert printed("show", template).startswith("mine:000, tier B\n")
    assert printed("show", f"{template}#mine:002").startswith("mine:002, tier B\n")


def test_an_id_may_use_the_name_of_the_template_and_omit_zeros() -> None:
    assert printed("show", "peg_chains:42").startswith("00013:042, peg_chains, tier B\n")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("bogus", "no task 'bogus': an id is a template and a number, as in 00013:042"),
        ("00099:001", "no template '00099'; there are 00000 to 00024 (B) and 00100 to 00124 (2B)"),
        ("00003:999", "template 00003 (stick_in_vase) has 320 tasks, the last is number 319; there is no 999"),
        ("peg_chains", "peg_chains is a template; give one of its tasks, such as 00013:011"),
        ("missing.json", "missing.json: no such file"),
        ("missing.json#mine:000", "missing.json: no such file"),
    ],
)
def test_unknown_tasks_are_refused(task: str, why: str) -> None:
    assert refusal("show", task) == why


def test_a_missing_task_of_a_file_is_refused_with_a_list_of_its_tasks(template: Path) -> None:
    expected = f"{template} has no task 'mine:009'; it has 4: mine:000, mine:001, mine:002, mine:003"
    assert refusal("show", f"{template}#mine:009") == expected


# list


def test_list_has_all_templates_or_those_of_a_tier() -> None:
    everything = printed("list")
    for key, name in NAMES.items():
        assert row(everything, key)[1:4] == [name, "B" if key < "00100" else "2B", "100"]
    assert "A ball falls onto two wandering chains of fixed pegs and gets stuck" in everything
    assert "peg_chains" not in printed("list", "--tier", "2B")


def test_list_documents_a_template_and_its_published_tasks() -> None:
    text = printed("list", "hooked_sticks")
    assert text == printed("list", "00122")
    for heading in ("Bodies", "Parameters", "Goal", "Solvability", "Published tasks"):
        assert f"\n{heading}\n" in text
    assert re.findall(r"00122:\d+", text) == [f"00122:{number:03d}" for number in published_numbers()["00122"]]


def test_list_refuses_unknown_tiers_and_templates() -> None:
    assert refusal("list", "--tier", "3B") == "no tier '3B'; there are B, 2B"
    assert refusal("list", "bogus").startswith("no template 'bogus'")


# show


def test_show_draws_a_task_in_characters_and_prints_its_goal() -> None:
    text = printed("show", "00002:000")
    drawn = [line for line in text.splitlines() if line.startswith(("|", "+"))]
    assert {len(line) for line in drawn} == {66}
    assert len(drawn) == 34
    assert drawn[-2] == f"|{'S' * 64}|"
    assert "oooo" in text
    assert "Goal: the ball (green) has to touch the floor (purple bar) for 3 seconds." in text


def test_bars_thinner_than_a_character_are_drawn() -> None:
    """A character is 8 units high; a bar of 5 is drawn at any height."""
    for y in np.arange(20.0, 28.0):
        drawn = terminal.text_drawing(Scene((Body((box(256.0, 5.0),), position=(128.0, y)),)))
        assert f"|{'#' * 64}|" in drawn


def colour(of: Color | None) -> tuple[int, int, int]:
    assert of is not None
    return tuple(of.get_truecolor())


def test_a_drawing_in_colour_shows_two_pixels_in_a_character() -> None:
    floor = Body((box(256.0, 100.0),), position=(128.0, 50.0), role="subject")
    lines = terminal.colour_drawing(Scene((floor,))).split("\n", allow_blank=False)
    assert [line.plain for line in lines] == ["▀" * 64] * 32
    # Of 64 pixels down, the 25 lowest are the floor's: row 19 of 32 is half floor.
    styles = [lines[number].get_style_at_offset(Console(), 0) for number in (0, 19, 31)]
    white, purple = (255, 255, 255), (0x4B, 0x4A, 0xA4)
    assert [(colour(style.color), colour(style.bgcolor)) for style in styles] == [
        (white, white),
        (white, purple),
        (purple, purple),
    ]


def test_a_long_scene_keeps_its_proportions() -> None:
    drawn = terminal.text_drawing(Scene((Body((Circle(4.0),), position=(10.0, 10.0)),), width=400.0, height=100.0))
    assert [len(line) for line in drawn.splitlines()] == [66] * 10


def test_bodies_without_names_are_described_by_their_appearance() -> None:
    task = phyre.task("00106:002")
    nameless = replace(task.scene, bodies=tuple(replace(body, name="") for body in task.scene.bodies))
    assert describe_goal(replace(task, scene=nameless)) == "the green ball has to touch the blue ball for 3 seconds"
    assert body_name(nameless, 0) == "body 0 (black bar)"


def test_show_writes_a_picture_and_an_animation(tmp_path: Path) -> None:
    png, gif = tmp_path / "start.png", tmp_path / "motion.gif"
    assert str(png) in printed("show", "00002:000", "--png", png, "--gif", gif, "--size", 64)
    with Image.open(png) as picture:
        assert picture.size == (64, 64)
    with Image.open(gif) as animation:
        # The ball falls onto the ledge and comes to rest: longer than a second, shorter than all 1000 steps.
        assert 20 < animation.n_frames < 333


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_show_places_the_stored_solution(tier: str, tmp_path: Path) -> None:
    task_id = next(task_id for task_id in phyre.task_ids(tier) if task_id in solutions())
    png = tmp_path / "solved.png"
    text = printed("show", task_id, "--solution", "--png", png)
    assert "*" in text.partition("* placed ball")[0]
    numbers = re.search(r"Solution: ([\d. ]+),", text)
    assert numbers
    assert "Stably solved after" in printed("simulate", task_id, *numbers[1].split(), "--stable")
    with Image.open(png) as picture:
        assert (0xF3, 0x4F, 0x46) in {colour for _, colour in picture.getcolors(100000)}


def test_show_reports_that_no_solution_is_stored(template: Path) -> None:
    unpublished = next(n for n in range(1000) if n not in published_numbers()["00000"])
    expected = f"no stable solution of task 00000:{unpublished:03d} is stored"
    assert refusal("show", f"00000:{unpublished:03d}", "--solution") == expected
    assert refusal("show", template, "--solution") == "no stable solution of task mine:000 is stored"


def test_a_solution_is_not_offered_for_another_task_of_the_same_id(tmp_path: Path) -> None:
    task_id = next(iter(solutions()))
    task = phyre.task(task_id)
    bodies = (*task.scene.bodies[:-1], replace(task.scene.bodies[-1], position=(100.0, 100.0)))
    formats.save(tmp_path / "changed.json", [replace(task, scene=replace(task.scene, bodies=bodies))])
    assert refusal("show", tmp_path / "changed.json", "--solution").startswith("no stable solution")


# simulate

SHELF_ACTIONS = {
    "Solved after": (72.0, 200.0, 12.0),
    "Not solved in 1000 steps (16.7 s)": (200.0, 50.0, 8.0),
}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A ball lies on a shelf; knocked off to the right, it comes to rest on the floor."""
    floor = Body((box(256.0, 5.0),), position=(128.0, -2.5), name="floor")
    walls = [Body((box(5.0, 256.0),), position=(x, 128.0)) for x in (-2.5, 258.5)]
    shelf = Body((box(100.0, 5.0),), position=(50.0, 80.0), name="shelf")
    ball = Body((Circle(8.0),), position=(80.0, 90.5), dynamic=True, density=0.25, restitution=0.2, name="ball")
    scene = Scene((floor, *walls, shelf, ball), units_per_metre=6.0)
    path = tmp_path / "shelf.json"
    formats.save(path, [phyre.Task(f"shelf:{tier}", tier, scene, body=4, other=0) for tier in ("B", "2B")])
    return path


def placed(*balls: tuple[float, float, float]) -> list[float]:
    """The numbers that place balls given in pixels."""
    return from_balls(np.array([balls]))[0].tolist()


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


def test_placement_problems_are_reported_exactly_for_invalid_actions() -> None:
    task = phyre.task("00106:002")
    rng = np.random.default_rng(0)
    actions = rng.random((200, 6))
    valid = phyre.actions.valid(task.scene, actions)
    assert 0 < valid.sum() < 200
    assert [placement_problem(task.scene, action) == "" for action in actions] == valid.tolist()


def test_a_short_action_places_the_same_balls() -> None:
    scene = phyre.task("00106:002").scene
    actions = sample_valid(scene, TIERS["2B"], 50, np.random.default_rng(1))
    actions[::2] = np.rint(actions[::2] * 255) / 255  # on the border between two pixels
    for action in actions:
        short = np.array([float(number) for number in action_text(action).split()])
        np.testing.assert_array_equal(phyre.actions.placed_balls(short[None]), phyre.actions.placed_balls(action[None]))


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


# sweep


def test_sweep_creates_and_repairs_a_store(tmp_path: Path, template: Path) -> None:
    store = tmp_path / "swept"
    arguments = ("sweep", store, "--tasks", f"{template},00002:000", "--actions", 20)
    text = printed(*arguments)
    counts = phyre.Simulator(formats.load(template).values(), "B").sweep(phyre.actions.fixed_set(TIERS["B"], 20))
    solved, failed, invalid = ((counts == status).sum() for status in (1, -1, 0))
    share = f"{100.0 * solved / (solved + failed):.3g} %"
    assert row(text, "mine") == ["mine", "4", "4", str(solved), str(failed), str(invalid), share]
    assert row(text, "all")[1] == "5"
    assert "5 tasks, 20 actions each, tier B" in text

    assert f"{store} is complete" in printed("sweep", store, "--verify")
    (store / "shard-00000.bin").unlink()
    result = run("sweep", store, "--verify")
    assert result.exit_code == 1
    assert "missing or damaged: 1 shard" in result.stderr
    assert printed(*arguments) == text
    assert f"{store} is complete" in printed("sweep", store, "--verify")
    assert "holds another sweep, differing in the actions" in refusal(*arguments, "--seed", 1)


def test_sweep_with_several_workers_writes_the_same_files(tmp_path: Path) -> None:
    arguments = ("--tasks", "00002:000,00002:001", "--actions", 5000)
    printed("sweep", tmp_path / "one", *arguments)
    assert "2 tasks, 5,000 actions each" in printed("sweep", tmp_path / "two", *arguments, "--workers", 2)
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert files[0] == files[1]
    assert "no executor 'slurm'" in refusal("sweep", tmp_path / "other", *arguments, "--executor", "slurm")
    assert not (tmp_path / "other").exists()


def test_sweep_takes_the_published_tasks_of_a_template(tmp_path: Path) -> None:
    text = printed("sweep", tmp_path / "swept", "--tasks", "twin_sticks", "--actions", 1)
    assert row(text, "00115")[1] == "100"
    assert "tier 2B" in text


def test_a_stopped_sweep_prints_how_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(phyre.Simulator, "sweep", interrupted)
    result = run("sweep", tmp_path / "swept", "--tasks", "00002:000", "--actions", 5)
    assert result.exit_code == 130
    assert "Repeat the command to resume" in result.stderr


def test_sweep_refuses_wrong_input(tmp_path: Path) -> None:
    store = tmp_path / "swept"
    assert refusal("sweep", store, "--tier", "3B") == "no tier '3B'; there are B, 2B"
    assert "tiers 2B and B; choose one with --tier" in refusal("sweep", store, "--tasks", "00002:000,00106:002")
    assert "none of the tasks is of tier 2B" in refusal("sweep", store, "--tasks", "00002:000", "--tier", "2B")
    assert refusal("sweep", store, "--tasks", " , ") == "an empty list of tasks; give ids, a template or a file"
    assert "no sweep store here" in refusal("sweep", store, "--verify")
    assert not store.exists()


# analyse


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of 200 attempts, and one of them only: most verdicts stay open."""
    monkeypatch.setattr(analyse, "BATCH_SIZE", 200)
    monkeypatch.setattr(analyse, "MAX_BATCHES", 1)


@pytest.mark.usefixtures("small_batches")
def test_analyse_prints_and_stores_verdicts(tmp_path: Path, template: Path) -> None:
    out = tmp_path / "known.json"
    text = printed("analyse", f"{template}#mine:001", "00106:002", "--out", out)
    kept = {(record["task"], record["tier"]): record for record in json.loads(out.read_text())["analyses"]}
    assert set(kept) == {("mine:001", "B"), ("00106:002", "2B"), ("00106:002", "B")}
    cells = row(text, "mine:001")
    assert cells[1] == "1"
    assert cells[2] == str(200 - kept["mine:001", "B"]["counts"]["invalid"])
    assert cells[4:6] == ["undecided", "yes"]  # trivial: the ball falls onto the floor by itself
    assert "Stably solved" in printed("simulate", f"{template}#mine:001", *cells[6].split(), "--stable")
    assert "00106: one ball solves 0 % of its tasks" in text
    before = out.read_bytes()
    assert printed("analyse", f"{template}#mine:001", "00106:002", "--out", out) == text
    assert out.read_bytes() == before


@pytest.mark.usefixtures("small_batches")
def test_analyse_takes_all_tasks_of_a_file(tmp_path: Path, template: Path) -> None:
    text = printed("analyse", "--file", template, "--out", tmp_path / "known.json")
    assert re.findall(r"mine:\d+", text) == [f"mine:{number:03d}" for number in range(4)]


def test_analyse_refuses_wrong_input(tmp_path: Path) -> None:
    assert run("analyse").exit_code == 2
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert f"{notes} is not a file of analyses" in refusal("analyse", "00002:000", "--out", notes)
    assert notes.read_text() == "mine"
    assert "there is no folder" in refusal("analyse", "00002:000", "--out", tmp_path / "nowhere" / "known.json")
    assert refusal("analyse", "--file", tmp_path / "none.json").endswith("none.json: no such file")


# import


def test_import_compares_published_tasks_and_writes_json(tmp_path: Path) -> None:
    known = [phyre.task(task_id) for task_id in ("00000:000", "00003:017", "00106:002")]
    changed = replace(phyre.task("00122:006"), tier="B")
    other, out = tmp_path / "tasks.json", tmp_path / "ours.json"
    formats.save(other, [*known, changed])
    text = printed("import", other, "--out", out)
    assert row(text, "B") == ["B", "3", "3", "6 to 7"]
    assert row(text, "2B") == ["2B", "1", "1", "16"]
    assert "3 tasks equal to Tumble's published tasks." in text
    assert "1 task with a published id but another content: 00122:006 in the tier." in text
    assert formats.load(out) == {task.id: task for task in [*known, changed]}


def test_import_reads_a_template(template: Path) -> None:
    text = printed("import", template)
    assert row(text, "B") == ["B", "1", "4", "6"]
    assert "No task has a published id." in text


@pytest.mark.slow
def test_all_published_tasks_equal_ours(shared_data: Path) -> None:
    assert "5,000 tasks equal to Tumble's published tasks." in printed(
        "import", shared_data / "phyre" / "official_tasks.json.xz"
    )


def test_import_refuses_other_files(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert "neither JSON nor" in refusal("import", notes)
    assert refusal("import", tmp_path / "none").endswith("none: no such file")
    assert refusal("import", notes, "--out", tmp_path) == f"{tmp_path} is a folder; name a file"
