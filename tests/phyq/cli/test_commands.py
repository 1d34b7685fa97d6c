"""The `tumble phyq` commands: what they print and write, and how they refuse."""

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

import command_line
from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Touch
from tumble.phyq.catalogue.tasks import task
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
from tumble.phyq.catalogue.trajectory import releases_to
from tumble.phyq.cli import make, tasks
from tumble.phyq.cli.play import draw_view, text_drawing
from tumble.phyq.evaluation.published_results import BROAD, HUMAN
from tumble.phyq.generation import solutions
from tumble.phyq.generation.checks import WON_BY_COMMON_ANGLE, fixed_angle_wins
from tumble.phyq.generation.solutions import Solution
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator

COMMANDS = ("list", "show", "shoot", "explain", "play", "evaluate", "score", "check", "generate", "import", "export")
PIGS = (Pig("small", 0.0, -3.262), Pig("small", -5.0, -3.262))
LEVEL = Level(("red", "red"), PIGS)
ANGLES = [releases_to((pig.x, pig.y))[0].angle for pig in PIGS]
"""Release angles that hit the pigs."""


run = partial(command_line.run, "phyq")
printed = partial(command_line.printed, "phyq")
refusal = partial(command_line.refusal, "phyq")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "mine.json"
    level_json.save(LEVEL, path)
    return path


# Help


@pytest.mark.parametrize("command", [(), *((command,) for command in COMMANDS)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    assert f"tumble phyq {command[0] if command else ''}" in printed(*command, "--help").partition("Example")[2]


def test_help_does_not_wait_for_warp() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from tumble.cli.app import app;"
        "done = CliRunner().invoke(app, ['phyq', 'shoot', '--help']);"
        "sys.exit(done.exit_code or 'warp' in sys.modules or 'tumble.engine' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# list and show


def test_list_has_all_scenarios() -> None:
    text = printed("list")
    for number, name in SCENARIOS.items():
        assert re.search(rf"^ {number} +{name} ", text, re.MULTILINE)
    assert "Rolling" not in printed("list", "--scenario", 6)


def test_list_has_a_line_for_each_template_that_begins_with_its_id() -> None:
    lines = printed("list", "--templates").splitlines()
    assert [line.split()[0] for line in lines] == list(templates())
    assert len(lines) == 75
    assert all(line.split(maxsplit=1)[1] == templates()[line.split()[0]].idea for line in lines)
    assert [line.split()[0] for line in printed("list", "--templates", "--scenario", 14).splitlines()] == [
        "14.1",
        "14.2",
    ]


def test_show_lists_all_pieces_and_draws_the_level(tmp_path: Path) -> None:
    png = tmp_path / "level.png"
    text = printed("show", "6.4:003", "--png", png)
    level = task("6.4:003").level
    assert text.startswith("6.4:003, scenario 6: Bouncing\n")
    assert "1 red bird, 1 small pig, 6 blocks, 4 platforms." in text
    assert len(re.findall(r"^ (?:platform|wood|ice|stone|small pig)", text, re.MULTILINE)) == len(level.pieces)
    np.testing.assert_array_equal(np.asarray(Image.open(png)), episode_views.start(level).illustration())
    printed("show", "6.4:003", "--png", png, "--width", 320, "--zoom", 2)
    np.testing.assert_array_equal(np.asarray(Image.open(png)), episode_views.start(level).illustration(320, 2.0))


def test_show_knows_templates_and_files(own: Path) -> None:
    assert "2 red birds, 2 small pigs" in printed("show", "14.1")
    assert printed("show", own).startswith("mine.json\n")


def test_characters_are_drawn_where_objects_are() -> None:
    level = Level(("red",), (Pig("big", 10.0, 3.0),), platforms=(Platform(0.0, 0.0, 45.0, 10.0, 0.5),))
    lines = text_drawing(episode_views.start(level), 70).splitlines()
    assert lines[-1] == "-" * 70
    rows = {letter: [k for k, line in enumerate(lines) if letter in line] for letter in "o#"}
    assert [line.find("o") for line in lines if "o" in line] == pytest.approx(
        [(10.0 + 17.5) * 2] * len(rows["o"]), abs=1
    )
    starts = [lines[row].find("#") for row in rows["#"]]
    assert len(starts) >= 4
    assert starts == sorted(starts, reverse=True), "a platform that is turned rises to the right"


def test_drawings_have_colour_if_the_terminal_can() -> None:
    drawn = Console(force_terminal=True, color_system="truecolor", width=80, record=True, file=io.StringIO())
    draw_view(episode_views.start(LEVEL), drawn)
    assert "▀" in drawn.export_text()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bogus", "no task 'bogus': an id is a template and a number, as in 6.4:017"),
        ("6.9:001", "no template '6.9'; scenario 6 has 6.1, 6.2, 6.3, 6.4, 6.5, 6.6"),
        ("99.1", "no task '99.1': an id is a template and a number, as in 6.4:017"),
        ("missing.xml", "missing.xml: No such file or directory"),
        ("some/level.txt", "some/level.txt: the name of a level file must end in .json or .xml"),
    ],
)
def test_unknown_tasks_are_refused(text: str, why: str) -> None:
    assert refusal("show", text) == why


# shoot


def test_a_shot_that_wins(own: Path, tmp_path: Path) -> None:
    gif, png = tmp_path / "out.gif", tmp_path / "end.png"
    text = printed("shoot", own, "--angle", ANGLES[0], "--angle", ANGLES[1], "--gif", gif, "--png", png, "--width", 160)
    assert text.count("the small pig dies") == 2
    assert text.count("the red bird is launched") == 2
    assert re.search(r"^Won after \d+\.\d s with 2 of 2 birds\.$", text, re.MULTILINE)
    with Image.open(gif) as shown:
        assert shown.size == (160, 90)
        assert shown.n_frames > 50
    with Image.open(png) as shown:
        assert shown.size == (160, 90)


def test_a_shot_that_fails_and_one_that_leaves_birds(own: Path) -> None:
    assert "Not over: 2 pigs and 1 bird left after" in printed("shoot", own, "--angle", 88)
    text = printed("shoot", own, "--shot", "88", "--shot", "88,0.5,delay=1")
    assert "red bird: 88 degrees, stretch 0.5, after 1 s" in text
    assert "Lost after" in text


def test_options_of_shots_are_given_once_or_once_for_each() -> None:
    each = printed("shoot", "11.2", "--angle", 30, "--angle", -10, "--stretch", 0.9, "--stretch", 0.8)
    assert "red bird: 30 degrees, stretch 0.9\nred bird: -10 degrees, stretch 0.8\n" in each
    every = printed("shoot", "11.2", "--angle", 30, "--angle", 40, "--tap-ms", 300)
    assert every.count("tap after 300 ms") == 2
    assert "tap at 0.6 of the flight" in printed("shoot", "15.2:000", "--angle", 30, "--tap-share", 0.6)


def test_events_can_all_be_listed(own: Path) -> None:
    few, every = (printed("shoot", own, "--angle", 80, *more) for more in ((), ("--events",)))
    assert "is removed" not in few
    assert len(every.splitlines()) > len(few.splitlines())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "no shot: give --angle or --shot"),
        (("--angle", 400), "angle must be a number from -180 to 180, got 400.0"),
        (("--angle", 20, "--stretch", 2), "stretch must be a number from 0.001 to 1, got 2.0"),
        (("--angle", "nan"), "angle must be a number from -180 to 180, got nan"),
        (("--angle", 20, "--tap-ms", 5, "--tap-share", 0.5), "give tap_ms or tap_share, not both"),
        (("--angle", 20, "--shot", "30"), "give complete shots with --shot, or --angle with its options, not both"),
        (("--shot", "x"), "'x' is not part of a shot; a shot is ANGLE"),
        (("--shot", "30,pat=3"), "'pat=3' is not part of a shot"),
        (("--shot", "1,1,1"), "'1,1,1' is not a shot"),
        (
            ("--angle", 1, "--angle", 2, "--angle", 3, "--delay", 1, "--delay", 2),
            "--delay is given 2 times; give it once, or once for each of 3 angles",
        ),
        (("--angle", 1, "--angle", 2, "--angle", 3), "3 shots, but the level has 2 birds"),
        (("--angle", 1, "--gif", "out.mp4"), "out.mp4: the name of this file must end in .gif or .webp"),
        (("--angle", 1, "--png", "none/out.png"), "none/out.png: there is no folder none"),
        (("--angle", 1, "--device", "abacus"), "abacus"),
    ],
)
def test_wrong_shots_are_refused(own: Path, arguments: tuple[object, ...], why: str) -> None:
    assert why in refusal("shoot", own, *arguments)


# play


def test_a_game_shot_by_shot(own: Path, tmp_path: Path) -> None:
    gif = tmp_path / "game.webp"
    text = printed("play", own, "--gif", gif, "--width", 64, typed=f"nonsense\n{ANGLES[0]}\n{ANGLES[1]} 1.0 delay=60\n")
    assert "red bird, 1 of 2: " in text
    assert "Not over: 1 pig and 1 bird left" in text
    assert "Won after" in text
    assert text.count("the red bird is launched") == 2, "only the new events are printed after each shot"
    with Image.open(gif) as shown:
        assert shown.n_frames > 50


def test_a_game_can_be_stopped(own: Path, tmp_path: Path) -> None:
    for typed in ("", "\n"):
        assert printed("play", own, "--gif", tmp_path / "none.gif", typed=typed).endswith("Stopped.\n")
    assert not (tmp_path / "none.gif").exists()


def test_play_does_not_print_the_idea_of_the_solution() -> None:
    assert templates()["6.4"].idea in printed("show", "6.4:003")
    assert templates()["6.4"].idea not in printed("play", "6.4:003", typed="")


# score


def test_the_published_scores_are_reproduced() -> None:
    """The paper's figure 5, with more digits: 14, 12, 7 and -2."""
    text = printed("score", "--published")
    for agent, score in {
        "Bambirds": "13.59",
        "Eagle's Wing": "12.11",
        "Datalab": "6.71",
        "Pig Shooter": "-1.60",
    }.items():
        assert re.search(rf"^ {agent} .* {score} +$", text, re.MULTILINE)
    assert "Scale: 13.575 points" in text


@pytest.mark.parametrize("kind", ["scenario", "template", "task"])
def test_rates_from_a_file(kind: str, tmp_path: Path) -> None:
    name = {"scenario": "{}", "template": "{}.1", "task": "{}.2:081"}[kind]
    rates = tmp_path / "rates.json"
    rates.write_text(json.dumps({name.format(k): rate for k, rate in enumerate(BROAD["Bambirds"], start=1)}))
    assert "Phy-Q 13.59 (humans 100, random 0)" in printed("score", rates)
    rates.write_text(json.dumps({str(k): mean for k, (mean, _) in HUMAN.items()}))
    assert "Phy-Q 100.00" in printed("score", rates)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("[]", "expected pass rates by scenario"),
        ('{"3": 1.5}', "3: a pass rate is a number from 0 to 1, not 1.5"),
        ('{"3": true}', "3: a pass rate is a number from 0 to 1, not True"),
        ('{"3": 0.5, "4.1": 0.5}', "all keys must be scenarios (3), or templates (3.1), or tasks (3.1:017)"),
        ('{"16": 0.5}', "no scenario 16; there are 1 to 15"),
        ('{"3": 0.5}', "needs the pass rates of scenarios 3 to 15; missing: 4, 5"),
    ],
)
def test_wrong_rates_are_refused(text: str, why: str, tmp_path: Path) -> None:
    rates = tmp_path / "rates.json"
    rates.write_text(text)
    assert why in refusal("score", rates)


def test_score_needs_something_to_score() -> None:
    for arguments in ((), ("--published", "rates.json")):
        result = run("score", *arguments)
        assert result.exit_code == 2
        assert "give a file of pass rates or run logs, or --published" in result.stderr


def test_scores_of_run_logs(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    printed("evaluate", "--agent", "pig_shooter", "--setting", "tasks", "--only", "1.1:080", "--runs", runs)
    text = printed("score", runs)
    assert re.search(r"^ pig_shooter +tasks +0 +1 +\d+\.\d +- +$", text, re.MULTILINE)
    (tmp_path / "empty").mkdir()
    assert refusal("score", tmp_path / "empty") == f"no run logs in {tmp_path / 'empty'}"
    assert refusal("score", tmp_path / "none").endswith("none: no such file or folder")


# Solutions and checks


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> dict[str, Solution]:
    """Replaces the stored solutions by two: one wins, one does not."""
    known = {"1.1:000": solutions.solution("1.1:000"), "1.1:001": Solution((Shot(89.0),), 0.5)}
    monkeypatch.setattr(solutions, "solutions", lambda: known)
    monkeypatch.setattr(tasks, "solutions", lambda: known)
    return known


def test_show_prints_and_animates_the_solution(stored: dict[str, Solution], tmp_path: Path) -> None:
    gif = tmp_path / "won.gif"
    text = printed("show", "1.1:000", "--solution", "--gif", gif, "--width", 64)
    assert "Solution, which also wins with angles changed by up to 0.5 degrees:" in text
    assert f"red bird: {stored['1.1:000'].shots[0].angle:g} degrees, stretch 1" in text
    assert gif.is_file()
    assert refusal("show", "1.1:002", "--solution") == "no solution of 1.1:002 is stored"
    assert "nothing moves before a shot" in refusal("show", "1.1:000", "--gif", gif)


@pytest.mark.usefixtures("stored")
def test_check_finds_problems_of_tasks() -> None:
    assert "1 of 1 task without problems." in printed("check", "1.1", "--tasks", 1)
    result = run("check", "1.1", "--tasks", 3)
    assert result.exit_code == 1
    assert "1 of 3 tasks without problems." in result.stdout
    assert "2 tasks with problems; the first is 1.1:001" in result.stderr
    assert re.search(r"^ 1\.1 +3 +- +- +- +- +1 +1 +- +$", result.stdout, re.MULTILINE), (
        "one has no solution, one a wrong solution"
    )
    assert refusal("check", "6.9").startswith("no template '6.9'")


def test_check_holds_solutions_against_rules_and_angles_against_caps() -> None:
    design = template("1.1")
    assert make.task_problems(design, 2) == {}
    against = replace(design, rule=Rule((Kill("pig 0", by="distractor"),)))
    assert make.task_problems(against, 2) == dict.fromkeys(["1.1:000", "1.1:001"], make.AGAINST_RULE)
    by_bird = replace(design, rule=Rule((Touch("bird", "pig 0"), Kill("pig 0", by="bird"))), fixed_angle_cap=1.0)
    assert make.task_problems(by_bird, 2) == {}
    wins = fixed_angle_wins(Simulator([design.level(0), design.level(1)]))
    common = make.task_problems(replace(design, fixed_angle_cap=0.0), 2)
    assert list(common) == [f"1.1:{k:03d}" for k in range(2) if wins[k].any()]
    assert set(common.values()) == {WON_BY_COMMON_ANGLE}


def test_make_writes_levels_and_solutions(tmp_path: Path) -> None:
    text = printed("generate", "1.4", "--count", 2, "--out", tmp_path / "made", "--workers", 1)
    assert "2 checked tasks in" in text
    (first, _) = sorted((tmp_path / "made" / "1.4" / "levels").iterdir())
    assert first.name.startswith("1.4-100.")
    assert "red bird" in printed("shoot", first, "--angle", 30)
    assert (tmp_path / "made" / "1.4" / "solutions.txt").read_text(encoding="ascii").startswith("1.4:100.")
    assert refusal("generate", "1.9", "--out", tmp_path).startswith("no template '1.9'")


def test_unchecked_tasks_say_so() -> None:
    assert printed("show", "1.4:100").startswith("1.4:100 (unchecked), scenario 1")
    assert printed("show", "1.4:099").startswith("1.4:099, scenario 1")


def test_tasks_can_be_generated_again(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    text = printed("check", "1.1", "--tasks", 1, "--make", folder)
    assert re.search(r"^ 1\.1 +1 +0\.\d+ degrees +\d+ ", text, re.MULTILINE)
    assert solutions.read_solutions(folder).keys() == {"1.1:000"}


# import and export


def test_levels_are_exported_and_imported_unchanged(tmp_path: Path) -> None:
    xml, back = tmp_path / "level.xml", tmp_path / "back.json"
    printed("export", "6.4:003", "-o", xml)
    assert science_birds_xml.load(xml) == task("6.4:003").level
    text = printed("import", xml, "-o", back)
    assert "1 red bird, 1 small pig, 6 blocks, 4 platforms." in text
    assert "At rest before the first shot." in text
    assert level_json.load(back) == task("6.4:003").level


def test_import_reports_what_is_not_at_rest(tmp_path: Path) -> None:
    path = tmp_path / "falling.json"
    level_json.save(Level(("red",), (Pig("small", 0.0, 5.0),)), path)
    assert "Not at rest before the first shot: pig 0 moves by" in printed("import", path)


def test_all_templates_into_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "levels"
    assert "75 levels" in printed("export", "--all", "-o", folder)
    assert {path.stem for path in folder.iterdir()} == set(templates())
    assert science_birds_xml.load(folder / "12.6.xml") == templates()["12.6"].base


def test_other_files_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.xml", tmp_path / "out.json"
    bad.write_text("<Level><Birds/></Level>")
    assert refusal("import", bad, "-o", out).startswith(f"{bad}: ")
    assert refusal("import", bad, "-o", tmp_path / "out.txt").endswith("must end in .json or .xml")
    assert refusal("export", "6.4:003", "-o", tmp_path / "out.png").endswith("must end in .json or .xml")
    assert "no format 'png'" in refusal("export", "--all", "-o", tmp_path / "levels", "--format", "png")
    assert sorted(tmp_path.iterdir()) == [bad]


def test_shoot_prints_the_outcome_of_the_simulator(own: Path) -> None:
    seconds = simulator.play(LEVEL, [[Shot(ANGLES[0]), Shot(ANGLES[1])]]).seconds[0]
    assert f"Won after {seconds:.1f} s" in printed("shoot", own, "--angle", ANGLES[0], "--angle", ANGLES[1])
