"""Every template builds its published tasks, body by body."""

import inspect
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from published import Published

from tumble import phyre
from tumble.phyre import Task
from tumble.phyre.catalogue.task import TemplateError
from tumble.phyre.catalogue.task_files import load_named
from tumble.phyre.catalogue.template import Template, load_template
from tumble.phyre.catalogue.templates import NAMES, published_numbers, template
from tumble.scene import Body, Circle

TOLERANCE = 1e-6
DIGESTS = Path(__file__).with_name("template_digests.json")
"""Of the geometry of the published tasks of each template; running this file rewrites it."""
HEADINGS = ["Bodies", "Parameters", "Goal", "Solvability"]


@pytest.fixture(scope="module")
def official(published: Published) -> dict[str, Task]:
    return published.tasks


def _numbers(body: Body) -> np.ndarray:
    """Pose and shapes of a body as numbers."""
    outline: list[float] = []
    for shape in body.shapes:
        points = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        outline += [len(points), shape.radius if isinstance(shape, Circle) else 0.0, *np.ravel(points)]
    return np.array([*body.position, body.angle, *outline])


def published_ids(key: str) -> list[str]:
    return [f"{key}:{number:03d}" for number in published_numbers()[key]]


@cache
def published_tasks(key: str) -> list[Task]:
    return template(key).tasks(published_numbers()[key])


def digest(tasks: list[Task]) -> str:
    """Of ids, tiers, goals and bodies, with lengths in steps of 1e-4 pixels and angles in steps of 1e-6 radians."""
    total = sha256()
    for task in tasks:
        total.update(f"{task.id} {task.tier} {task.body} {task.other}\n".encode())
        for body in task.scene.bodies:
            numbers = _numbers(body)
            numbers[2] *= 100.0
            total.update(f"{body.dynamic} {body.role} {np.rint(numbers * 1e4).astype(int).tolist()}\n".encode())
    return total.hexdigest()


def digests() -> dict[str, str]:
    return {key: digest(published_tasks(key)) for key in NAMES}


@pytest.mark.parametrize("key", NAMES)
def test_published_tasks_are_built_body_by_body(key: str, official: dict[str, Task]) -> None:
    assert [f"{key}:{number:03d}" for number in published_numbers()[key]] == sorted(
        task_id for task_id in official if task_id.startswith(key)
    )
    for ours in published_tasks(key):
        theirs = official[ours.id]
        assert (ours.tier, ours.body, ours.other) == (theirs.tier, theirs.body, theirs.other)
        assert len(ours.scene.bodies) == len(theirs.scene.bodies), ours.id
        for k, (body, expected) in enumerate(zip(ours.scene.bodies, theirs.scene.bodies, strict=True)):
            where = f"{ours.id}, body {k} ({body.name})"
            assert (body.dynamic, body.role) == (expected.dynamic, expected.role), where
            assert np.allclose(_numbers(body), _numbers(expected), rtol=0.0, atol=TOLERANCE), where


@pytest.mark.parametrize("key", NAMES)
def test_published_tasks_are_as_they_were(key: str) -> None:
    """Guards the templates where the published data isn't at hand."""
    tasks = published_tasks(key)
    assert [task.id for task in tasks] == published_ids(key)
    assert digest(tasks) == json.loads(DIGESTS.read_text())[key]
    for task in tasks:
        first, second = task.scene.bodies[task.body], task.scene.bodies[task.other]
        assert first.dynamic, f"{task.id}: the first body of a goal is always dynamic"
        assert (first.role, second.role) == ("object", "subject")
        roles = [body.role for body in task.scene.bodies]
        assert roles.count("object") == roles.count("subject") == 1
        walls = [body.name for body in task.scene.bodies[:4]]
        assert walls == ["bottom wall", "left wall", "top wall", "right wall"]


def test_the_digests_are_those_of_the_published_data(official: dict[str, Task]) -> None:
    known = json.loads(DIGESTS.read_text())
    assert {key: digest([official[task_id] for task_id in published_ids(key)]) for key in NAMES} == known


def test_a_digest_detects_tiny_changes() -> None:
    """A control: a thousandth of a pixel, an angle, a goal."""
    task = published_tasks("00003")[0]
    body = task.scene.bodies[5]
    changed = [
        replace(task, body=task.other, other=task.body),
        *(
            replace(task, scene=replace(task.scene, bodies=(*task.scene.bodies[:5], other, *task.scene.bodies[6:])))
            for other in (
                replace(body, position=(body.position[0] + 1e-3, body.position[1])),
                replace(body, angle=body.angle + 1e-5),
                replace(body, dynamic=False),
            )
        ),
    ]
    assert len({digest([each]) for each in (task, *changed)}) == 5


def test_the_benchmark_has_50_templates_of_100_tasks() -> None:
    assert list(published_numbers()) == list(NAMES) == [f"{k:05d}" for k in (*range(25), *range(100, 125))]
    assert all(len(set(numbers)) == 100 and numbers == sorted(numbers) for numbers in published_numbers().values())
    assert len(set(phyre.task_ids())) == len(phyre.task_ids()) == 5000
    for tier, keys in (("B", range(25)), ("2B", range(100, 125))):
        assert {task_id.split(":")[0] for task_id in phyre.task_ids(tier)} == {f"{key:05d}" for key in keys}
        assert all(template(f"{key:05d}").tier == tier for key in keys)
    with pytest.raises(ValueError, match="no tier '3B'; there are B, 2B"):
        phyre.task_ids("3B")


@pytest.mark.parametrize("key", NAMES)
def test_a_template_is_its_documentation(key: str) -> None:
    """An idea, and the same headings in every file; each parameter is explained by its name."""
    page = template(key).description
    assert re.findall(r"^(\w+)$", page, re.MULTILINE) == HEADINGS
    assert page.split("\n\n")[0].endswith("."), "the idea comes first"
    sections = dict(zip(HEADINGS, re.split(rf"^(?:{'|'.join(HEADINGS)})$", page, flags=re.MULTILINE)[1:], strict=True))
    for name in template(key).parameters:
        assert re.search(rf"\b{name}\b", sections["Parameters"]), f"{name} is not explained"
    assert re.search(r"chance of \d\.\de-\d, stably with \d\.\de-\d", sections["Solvability"])
    module = import_module(f"tumble.phyre.catalogue.templates.{NAMES[key]}")
    assert (module.ID, inspect.getdoc(module)) == (key, page)


def test_documented_chances_are_those_of_the_fact_sheets(shared_data: Path) -> None:
    sheets = (shared_data / "phyre" / "templates.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d{5}) \| `(\w+)` \|.*\| (\S+) \| (\S+) \|$", sheets, re.MULTILINE)
    assert {key: name for key, name, *_ in rows} == NAMES
    for key, _, *expected in rows:
        (found,) = re.findall(r"chance of (\S+), stably with (\S+)\.", template(key).description)
        np.testing.assert_allclose([float(c) for c in found], [float(c) for c in expected], rtol=0.06, err_msg=key)


def test_templates_have_as_many_tasks_as_the_fact_sheets_say(shared_data: Path) -> None:
    sheets = (shared_data / "phyre" / "templates.md").read_text(encoding="utf-8").split("\n### ")[1:]
    counted = 0
    for sheet in (sheet for sheet in sheets if re.match(r"\d{5} ", sheet)):
        key = sheet[:5]
        combinations, accepted = (
            int(number.replace(",", ""))
            for number in re.search(r"combinations (\S+) -> accepted (\S+)", sheet).groups()
        )
        assert np.prod([len(values) for values in template(key).parameters.values()]) == combinations, key
        if combinations <= 3000:
            assert len(template(key)) == accepted, key
            counted += 1
    assert counted > 30


def test_numbers_that_were_not_published_give_further_tasks() -> None:
    """Template 00002 accepts 245 combinations, of which 100 were published."""
    further = sorted(set(range(245)) - set(published_numbers()["00002"]))
    assert len(further) == 145
    tasks = template("00002").tasks(further)
    assert [task.id for task in tasks] == [f"00002:{number:03d}" for number in further]
    assert phyre.task("00002:000").scene == tasks[0].scene
    everything = tasks + published_tasks("00002")
    assert len({str([_numbers(body).tolist() for body in task.scene.bodies]) for task in everything}) == 245
    parameters = [tuple(template("00002").values(number).values()) for number in range(245)]
    assert len(set(parameters)) == 245


def test_a_task_does_not_depend_on_which_was_built_before() -> None:
    backwards = {number: fresh("00002").task(number) for number in (200, 3, 100, 0)}
    one = fresh("00002")
    for number in (0, 100, 3, 200):
        assert one.task(number) == backwards[number] == phyre.task(f"00002:{number:03d}")


def test_unknown_tasks_and_templates_are_named() -> None:
    for name in ("00025", "nonsense", "0", ""):
        with pytest.raises(
            TemplateError, match=rf"no template '{name}'; there are 00000 to 00024 \(B\) and 00100 to 00124"
        ):
            template(name)
    with pytest.raises(
        TemplateError, match=r"template 00002 \(ball_past_ledge\) has 245 tasks, the last is number 244; .*245"
    ):
        phyre.task("00002:245")
    with pytest.raises(TemplateError, match="numbers its tasks from 0; there is no -1"):
        template("00002").task(-1)
    for wrong in ("00002", "00002:", "00002:abc", "00002:-1", ":1", "00002:001 "):
        with pytest.raises(TemplateError, match="an id is a template and a number, as in 00013:042"):
            phyre.task(wrong)
    assert template("ball_past_ledge").id == "00002"


def fresh(key: str) -> Template:
    """A template that has built nothing yet."""
    module = import_module(f"tumble.phyre.catalogue.templates.{NAMES[key]}")
    return load_template(Path(module.__file__))


USER_TEMPLATE = '''
"""Two balls over a floor."""

from tumble.phyre.catalogue.template import World
from tumble.phyre.catalogue.template import ball, bar

ID = "mine"
TIER = "B"
PARAMETERS = {"x": [0.2, 0.4, 0.6], "size": [0.05, 0.1]}


def build(world: World, x: float, size: float) -> None:
    world.reject(x > 0.5 and size > 0.08)
    falling = world.dynamic(ball(size), "falling", cx=x, bottom=0.5)
    floor = world.static(bar(1), "floor", bottom=0, left=0)
    world.goal(falling, floor)
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my_template.py"


def test_a_user_defined_template_is_a_file(file: Path) -> None:
    file.write_text(USER_TEMPLATE)
    own = load_template(file)
    assert (own.id, own.tier, own.name, own.description) == ("mine", "B", "my_template", "Two balls over a floor.")
    assert len(own) == 5, "six combinations, one of them rejected"
    tasks = own.tasks(range(5))
    assert [task.id for task in tasks] == [f"mine:{number:03d}" for number in range(5)]
    combinations = [(x, size) for x in (0.2, 0.4, 0.6) for size in (0.05, 0.1) if (x, size) != (0.6, 0.1)]
    assert sorted(tuple(own.values(number).values()) for number in range(5)) == combinations
    for number, task in enumerate(tasks):
        falling, floor = task.scene.bodies[task.body], task.scene.bodies[task.other]
        assert (falling.name, floor.name, falling.dynamic, floor.dynamic) == ("falling", "floor", True, False)
        values = own.values(number)
        radius = {0.05: 6.5, 0.1: 12.5}[values["size"]]  # the fact sheets: whole pixels and a half
        np.testing.assert_allclose(falling.position, (256 * values["x"], 128 + radius))
        assert falling.shapes == (Circle(radius),)
    status = phyre.Simulator(tasks, "B").rollout(tasks[0]).status
    assert status == 1, "it falls onto the floor"


@pytest.mark.parametrize("name", ["ID", "TIER", "PARAMETERS", "build"])
def test_a_missing_name_is_named(name: str, file: Path) -> None:
    file.write_text(re.sub(rf"^(def )?{name}\b", rf"\1no_{name}", USER_TEMPLATE, flags=re.MULTILINE))
    with pytest.raises(TemplateError, match=rf"my_template.py: a template needs ID, TIER, .*; {name} is missing"):
        load_template(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"mine"', '"my template"', "ID must be letters, digits, _ or -, not 'my template'"),
        ('"mine"', "7", "ID must be letters, digits, _ or -, not 7"),
        ('"B"', '"3B"', "no tier '3B'; there are B, 2B"),
        ('"B"', "[]", r"no tier \[\]; there are B, 2B"),
        ("[0.05, 0.1]", "[]", "PARAMETERS must give for each name the values that it can have"),
        ("[0.05, 0.1]", "0.1", "PARAMETERS must give for each name the values that it can have"),
        ('{"x": [0.2, 0.4, 0.6], "size": [0.05, 0.1]}', "[1, 2]", "PARAMETERS must give for each name the values"),
        ('"size": [', '"width": [', "build takes x, size besides the world, but PARAMETERS has x, width"),
        ("def build(world: World, x: float, size: float) -> None:", "def build(world):", "build takes nothing besides"),
        ("def build(", "build = 3\n\ndef other(", "build must be a function"),
        ("cx=x", "cx=x,,", "SyntaxError"),
        ("from tumble.phyre.catalogue.template", "from tumble.phyre.shapes", "ModuleNotFoundError: No module named"),
        ("PARAMETERS =", "1 / 0\nPARAMETERS =", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_is_no_template_says_why(old: str, new: str, message: str, file: Path) -> None:
    assert old in USER_TEMPLATE
    file.write_text(USER_TEMPLATE.replace(old, new))
    with pytest.raises(TemplateError, match=rf"my_template\.py(, line \d+)?: .*{message}"):
        load_template(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(USER_TEMPLATE)
    for name in ("nothing.py", "notes.txt", "."):
        with pytest.raises(TemplateError, match="no such Python file"):
            load_template(tmp_path / name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "world.goal(falling, floor)",
            "pass",
            "task mine:000: its template names no goal: call world.goal",
        ),
        ("bottom=0.5", "botom=0.5", "TypeError: .*unexpected keyword argument 'botom'"),
        (
            "ball(size)",
            "ball(size / 0)",
            "ZeroDivisionError: float division by zero|ZeroDivisionError: division by zero",
        ),
    ],
)
def test_errors_in_build_name_the_file(old: str, new: str, message: str, file: Path) -> None:
    file.write_text(USER_TEMPLATE.replace(old, new))
    with pytest.raises(phyre.official.TaskFileError, match=rf"my_template\.py(, line \d+)?: ({message})"):
        load_named(file)


def test_a_combination_that_fails_keeps_its_number(file: Path) -> None:
    """If it were skipped, all numbers after it would mean other tasks."""
    file.write_text(
        USER_TEMPLATE.replace("    world.reject(", "    if broken: raise OSError('not now')\n    world.reject(")
    )
    own = load_template(file)
    own.build.__globals__["broken"] = True
    for _ in range(2):
        with pytest.raises(OSError, match="not now"):
            own.task(2)
    own.build.__globals__["broken"] = False
    file.write_text(USER_TEMPLATE)
    assert own.tasks(range(5)) == load_template(file).tasks(range(5))


def test_threads_number_tasks_the_same_way() -> None:
    expected = fresh("00000").tasks(range(200))
    for _ in range(5):
        one = fresh("00000")
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(one.task, range(200))) == expected


if __name__ == "__main__":
    DIGESTS.write_text(json.dumps(digests(), indent=0) + "\n")
