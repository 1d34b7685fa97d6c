"""Tasks survive every format of task files, and errors name the file and the task's id."""

import json
import lzma
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble import phyre
from tumble.phyre import Task
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task_files import TaskFileError, load, load_named, save
from tumble.scene import Body, Circle, Polygon, Scene, box, colour_index, to_json

TASKS = [phyre.task(task_id) for task_id in ("00000:000", "00010:003", "00012:001", "00106:002")]


def thrift(value: Any) -> bytes:
    """A value in Thrift's binary protocol: ints as i32, floats as double, dicts as structs."""
    if isinstance(value, dict):
        fields = [bytes([kind_of(v)]) + struct.pack(">h", n) + thrift(v) for n, v in value.items() if v is not None]
        return b"".join(fields) + b"\x00"
    if isinstance(value, list):
        kinds = {kind_of(item) for item in value} or {12}
        return struct.pack(">bi", *kinds, len(value)) + b"".join(map(thrift, value))
    if isinstance(value, str):
        return struct.pack(">i", len(value.encode())) + value.encode()
    return struct.pack(">i" if isinstance(value, int) else ">d", value)


def kind_of(value: Any) -> int:
    return {int: 8, float: 4, str: 11, dict: 12, list: 15}[type(value)]


def binary_task(task: Task, tier: str | None = None, colours: bool = True) -> dict[int, Any]:
    """A task with the field numbers of the original file."""
    return {
        1: task.id,
        2: {
            1: [binary_body(body, colours) for body in task.scene.bodies],
            3: int(task.scene.width),
            4: int(task.scene.height),
        },
        3: task.body,
        4: task.other,
        5: [6],
        9: tier or {"B": "BALL", "2B": "TWO_BALLS"}[task.tier],
    }


def binary_body(body: Body, colours: bool) -> dict[int, Any]:
    shapes = [
        {2: {1: s.radius}} if isinstance(s, Circle) else {1: {1: [{1: x, 2: y} for x, y in s.vertices]}}
        for s in body.shapes
    ]
    return {
        1: {1: body.position[0], 2: body.position[1]},
        2: 2 if body.dynamic else 1,
        3: body.angle,
        4: shapes,
        5: colour_index(body) if colours else None,
        6: 1,
        7: 12.5,
    }


def binary(*tasks: dict[int, Any]) -> bytes:
    return thrift({1: list(tasks)})


def published(task: Task) -> dict[str, Any]:
    """A task as the published JSON has it."""
    bodies = [
        {
            "x": body.position[0],
            "y": body.position[1],
            "angle": body.angle,
            "dynamic": body.dynamic,
            "color": colour_index(body),
            "shapes": [
                {"radius": s.radius} if isinstance(s, Circle) else {"vertices": s.vertices} for s in body.shapes
            ],
        }
        for body in task.scene.bodies
    ]
    return {"tier": task.tier, "goal": {"body": task.body, "other": task.other}, "bodies": bodies}


def unnamed(task: Task) -> Task:
    """The task without the names of its bodies, which published files don't have."""
    return replace(task, scene=replace(task.scene, bodies=[replace(body, name="") for body in task.scene.bodies]))


BINARY = binary(*map(binary_task, TASKS))
JSON = json.dumps({task.id: published(task) for task in TASKS}).encode()
UNNAMED = {task.id: unnamed(task) for task in TASKS}

FILES = {
    "binary": BINARY,
    "binary in xz": lzma.compress(BINARY),
    "binary in lzma": lzma.compress(BINARY, format=lzma.FORMAT_ALONE),
    "json": JSON,
    "json in xz": lzma.compress(JSON),
    "json in lzma": lzma.compress(JSON, format=lzma.FORMAT_ALONE),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose name says nothing about its content."""
    return tmp_path_factory.mktemp("tasks") / "tasks.bin"


def loaded(file: Path, content: bytes | str) -> dict[str, Task]:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return load(file)


def rejection(file: Path, content: bytes | str) -> str:
    """Why a file is rejected; the message begins with its path."""
    with pytest.raises(TaskFileError) as caught:
        loaded(file, content)
    assert str(caught.value).startswith(f"{file}: ")
    return str(caught.value).removeprefix(f"{file}: ")


@pytest.mark.parametrize("kind", FILES)
def test_published_formats_give_the_tasks_exactly(kind: str, file: Path) -> None:
    assert loaded(file, FILES[kind]) == UNNAMED


def test_published_tasks_are_the_same_in_binary_as_in_json(file: Path, shared_data: Path) -> None:
    with lzma.open(shared_data / "phyre" / "official_tasks.json.xz", "rt") as stream:
        content = json.load(stream)
    tasks = loaded(file, json.dumps({task_id: content[task_id] for task_id in list(content)[::50]}))
    assert len(tasks) == 100
    assert loaded(file, binary(*map(binary_task, tasks.values()))) == tasks


def test_without_colours_the_goal_gives_the_roles(file: Path) -> None:
    assert loaded(file, binary(*(binary_task(task, colours=False) for task in TASKS))) == UNNAMED
    for task in TASKS:
        record = published(task)
        for body in record["bodies"]:
            body["color"] = 0
        assert loaded(file, json.dumps({task.id: record})) == {task.id: unnamed(task)}


@pytest.mark.parametrize(
    ("name", "tier"),
    [("B", "B"), ("ball", "B"), ("PHYRE-B", "B"), ("2B", "2B"), ("two_balls", "2B"), ("PHYRE-2B", "2B")],
)
def test_tiers_have_several_names(name: str, tier: str, file: Path) -> None:
    assert loaded(file, binary(binary_task(TASKS[0], tier=name)))["00000:000"].tier == tier


def changed(record: Any, path: str, value: Any) -> Any:
    """A copy of nested data with one value changed, or removed where it is None."""
    copy = json.loads(json.dumps(record), object_hook=lambda o: {int(k) if k.isdigit() else k: v for k, v in o.items()})
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place = copy
    for step in steps:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return copy


# Task 00000:000: bodies 0 to 3 are walls, 4 and 5 are balls.
WRONG_BINARY: list[tuple[str, Any, str]] = [
    ("1", None, "task number 0 of the file: 'id' is missing"),
    ("1", "", "task number 0 of the file: an id must be text without spaces"),
    ("1", "a b", "task number 0 of the file: an id must be text without spaces, as in mine:000, got 'a b'"),
    ("2", None, "task 00000:000: 'scene' is missing"),
    ("2", 7, "task 00000:000: 'scene' must be an object, got 7"),
    ("2.1", None, "task 00000:000: 'bodies' is missing"),
    ("2.1", [1, 2], "task 00000:000: body 0: expected a struct with position, type, angle, shapes, color, got 1"),
    ("2.3", 0, "task 00000:000: scene: width must be greater than"),
    ("2.1.4.1", None, "task 00000:000: body 4: 'position' is missing"),
    ("2.1.4.1.2", None, "task 00000:000: body 4: y of position must be a number, got None"),
    ("2.1.4.1.1", float("nan"), "task 00000:000: body 4: x of position must be a finite number"),
    ("2.1.4.2", 3, "task 00000:000: body 4: 'type' must be 1 (static) or 2 (dynamic), got 3"),
    ("2.1.4.3", "up", "task 00000:000: body 4: angle must be a number, got 'up'"),
    ("2.1.4.4", [], "task 00000:000: body 4: it has no shapes"),
    ("2.1.4.4.0", {}, "task 00000:000: body 4: a shape must be either a polygon or a circle, got neither"),
    ("2.1.4.4.0.1", {}, "task 00000:000: body 4: a shape must be either a polygon or a circle, got polygon and circle"),
    ("2.1.4.4.0.2.1", None, "task 00000:000: body 4: a shape must have either 'radius' or 'vertices'"),
    ("2.1.4.4.0.2.1", -1.0, "task 00000:000: body 4: radius must be greater than"),
    ("2.1.0.4.0.1.1", 7, "task 00000:000: body 0: 'vertices' must be a list, got 7"),
    ("2.1.0.4.0.1.1.1", {1: 100.0, 2: -2.0}, "task 00000:000: body 0: polygon is not convex at vertex 1"),
    ("2.1.4.5", 9, "task 00000:000: body 4: 'color' must be a whole number from 0 to 6, got 9"),
    ("3", None, "task 00000:000: 'body1' is missing"),
    ("3", 6, "task 00000:000: the goal names body 6 of 6"),
    ("4", -1, "task 00000:000: the goal names body -1 of 6"),
    ("4", 4, "task 00000:000: the goal names body 4 twice"),
    ("5", None, "task 00000:000: 'relations' is missing"),
    ("5", [], "task 00000:000: 'relation' must be the name of a relation, or a list of names, got []"),
    ("5", [0], "task 00000:000: no relation has the code 0; there are 1 (above)"),
    ("5", [10], "task 00000:000: no relation has the code 10; there are 1 (above)"),
    ("5", [{1: 6}], "task 00000:000: no relation has the code {1: 6}"),
    ("5", [6, 6], "task 00000:000: the relation 'touching' is given twice"),
    ("5", [7], "task 00000:000: a goal of 'inside' or 'not inside' needs an area: a ball encloses none"),
    ("9", None, "task 00000:000: no tier is given; there are B (also BALL or PHYRE-B), 2B (also"),
    ("9", "RAMP", "task 00000:000: no tier 'RAMP'; there are B (also BALL or PHYRE-B), 2B (also"),
]


@pytest.mark.parametrize(("path", "value", "reason"), WRONG_BINARY, ids=[str(k) for k in range(len(WRONG_BINARY))])
def test_a_wrong_value_in_a_binary_file_is_named(path: str, value: Any, reason: str, file: Path) -> None:
    assert rejection(file, binary(changed(binary_task(TASKS[0]), path, value))).startswith(reason)


WRONG_JSON: list[tuple[str, Any, str]] = [
    ("goal.body", "ball", "task 00000:000: 'body' must be a whole number, got 'ball'"),
    ("goal.body", True, "task 00000:000: 'body' must be a whole number, got True"),
    ("goal.other", 17, "task 00000:000: the goal names body 17 of 6"),
    ("goal.relation", "near", "task 00000:000: no relation 'near'; there are above, below, left of, right of"),
    ("goal.relation", 6, "task 00000:000: 'relation' must be the name of a relation, or a list of names, got 6"),
    ("goal.relation", [["above"]], "task 00000:000: no relation ['above']"),
    ("goal.area", [[0, 0], [1, 0], [0, 1]], "task 00000:000: only goals of 'inside' and 'not inside' have an area"),
    ("goal.area", [[0, 0], [1, "x"]], "task 00000:000: 'area' of the goal must be a list of pairs of finite numbers"),
    ("tier", None, "task 00000:000: no tier is given"),
    ("bodies", {}, "task 00000:000: 'bodies' must be a list, got {}"),
    ("bodies.4", 7, "task 00000:000: body 4: expected an object with 'shapes', got 7"),
    ("bodies.4.x", None, "task 00000:000: body 4: 'x' is missing"),
    ("bodies.4.x", float("nan"), "task 00000:000: body 4: x of position must be a finite number"),
    ("bodies.4.x", 10**400, "task 00000:000: body 4: x of position must be a finite number"),
    ("bodies.4.dynamic", 1, "task 00000:000: body 4: dynamic must be True or False, got 1"),
    ("bodies.4.color", [], "task 00000:000: body 4: 'color' must be a whole number from 0 to 6, got []"),
    ("bodies.4.shapes.0", "ball", "task 00000:000: body 4: a shape must have either 'radius' or 'vertices'"),
    ("bodies.4.shapes.0", {"vertices": [1, 2, 3]}, "task 00000:000: body 4: vertex 0 must be a pair"),
    ("bodies.0.shapes.0.vertices.1", [100.0, -2.0], "task 00000:000: body 0: polygon is not convex at vertex 1"),
]


@pytest.mark.parametrize(("path", "value", "reason"), WRONG_JSON, ids=[str(k) for k in range(len(WRONG_JSON))])
def test_a_wrong_value_in_a_json_file_is_named(path: str, value: Any, reason: str, file: Path) -> None:
    record = changed(published(TASKS[0]), path, value)
    assert rejection(file, json.dumps({"00000:000": record})).startswith(reason)


def user_task(**changes: Any) -> dict[str, Any]:
    """A task as a user writes it: no roles, no units, and its own material."""
    ball = Body((Circle(8.0),), position=(60.0, 100.0), dynamic=True, name="ball", density=0.7)
    floor = Body((box(256.0, 5.0),), position=(128.0, -2.5), name="floor", friction=0.1)
    cart = Body((box(20.0, 5.0),), position=(30.0, 3.0), dynamic=True, role="subject")
    scene = json.loads(to_json(Scene((floor, cart, ball))))
    return {"id": "mine:000", "tier": "B", "goal": {"body": "ball", "other": 0}, "scene": scene, **changes}


def test_a_user_defined_task(file: Path) -> None:
    (task,) = loaded(file, json.dumps(user_task())).values()
    floor, cart, ball = task.scene.bodies
    assert (task.id, task.tier, task.body, task.other) == ("mine:000", "B", 2, 0)
    assert (ball.role, floor.role, cart.role) == ("object", "subject", ""), "the goal decides"
    assert (ball.density, ball.friction, floor.friction) == (0.7, 0.5, 0.1), "material is kept"
    assert (ball.restitution, ball.angular_damping) == (0.0, 0.0), "not filled up with PHYRE's"
    assert task.scene.units_per_metre == 6.0, "PHYRE's, as the file doesn't say"


def test_units_that_a_file_states_are_kept(file: Path) -> None:
    scene = {**user_task()["scene"], "units_per_metre": 1.0}
    assert loaded(file, json.dumps(user_task(scene=scene)))["mine:000"].scene.units_per_metre == 1.0


def test_several_user_defined_tasks(file: Path) -> None:
    tasks = loaded(file, json.dumps([user_task(), user_task(id="mine:001", tier="two_balls")]))
    assert [(task_id, task.tier) for task_id, task in tasks.items()] == [("mine:000", "B"), ("mine:001", "2B")]


WRONG_USER_TASKS: list[tuple[dict[str, Any], str]] = [
    ({"goal": {"body": "bal", "other": 0}}, "task mine:000: scene: no body is named 'bal' (did you mean 'ball'?)"),
    ({"goal": {"body": 3, "other": 0}}, "task mine:000: the goal names body 3 of 3"),
    ({"goal": {"body": 2}}, "task mine:000: 'other' of the goal must be the name or the index of a body, got None"),
    ({"goal": {"body": "ball", "other": 2}}, "task mine:000: the goal names body 2 twice"),
    ({"goal": {"body": 2, "other": 0, "for": 3}}, "task mine:000: unknown field 'for'; there are body, other"),
    ({"goal": [2, 0]}, "task mine:000: 'goal' must be an object, got [2, 0]"),
    ({"id": "mine 0"}, "task number 0 of the file: an id must be text without spaces"),
    ({"id": 3}, "task number 0 of the file: 'id' must be a string, got 3"),
    ({"tier": "3B"}, "task mine:000: no tier '3B'; there are B (also BALL or PHYRE-B), 2B (also"),
    ({"teir": "B"}, "task mine:000: unknown field 'teir'; there are id, tier, goal, scene"),
    ({"scene": "scene.json"}, "task mine:000: 'scene' must be an object, got 'scene.json'"),
    ({"scene": {"version": 1}}, "task mine:000: bodies: this field is missing"),
    ({"scene": {"version": 1, "bodies": [], "width": float("nan")}}, "task mine:000: width: expected a finite number"),
    (
        {
            "scene": {
                "version": 1,
                "bodies": [{"shapes": [{"type": "polygon", "vertices": [[0, 0], [4, 0], [1, 1], [0, 4]]}]}],
            }
        },
        "task mine:000: body 0: polygon is not convex at vertex 2",
    ),
]


@pytest.mark.parametrize(("changes", "reason"), WRONG_USER_TASKS, ids=[str(k) for k in range(len(WRONG_USER_TASKS))])
def test_a_mistake_in_a_user_defined_task_is_named(changes: dict[str, Any], reason: str, file: Path) -> None:
    assert rejection(file, json.dumps(user_task(**changes))).startswith(reason)


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x02\x00\x00\x00"
FOREIGN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "neither JSON nor Thrift's binary protocol"),
    "a picture": (PNG, "neither JSON nor Thrift's binary protocol"),
    "prose": (b"Once upon a time", "neither JSON nor Thrift's binary protocol"),
    "a number": (b"42", "neither JSON nor Thrift's binary protocol"),
    "prose, compressed": (lzma.compress(b"Once upon a time"), "neither JSON nor Thrift's binary protocol"),
    "two files in one": (
        lzma.compress(JSON) * 2,
        f"{task_files.UNKNOWN_FORMAT} (it is truncated, or something else follows)",
    ),
    "half an object": (b'{"00000:000": {', "damaged JSON: Expecting property name"),
    "not UTF-8": (b'{"\xff": 1}', "damaged JSON: 'utf-8' codec"),
    "a long number": (b'{"a": ' + b"9" * 5000 + b"}", "damaged JSON: "),
    "deep nesting": (b"[" * 100_000, "this JSON is nested too deeply: at most 100 levels are read"),
    "an empty object": (b"{}", "expected an object with a task for each id, or a list of tasks"),
    "an empty list": (b"[]", "expected an object with a task for each id, or a list of tasks"),
    "a list of numbers": (b"[1, 2]", "task number 0 of the file: expected an object with 'id', got 1"),
    "another object": (b'{"name": "Anna"}', "task name: expected an object with 'goal', got 'Anna'"),
    "a task without id": (b'{"tier": "B", "goal": {}}', "task number 0 of the file: 'id' is missing"),
    "a scene": (to_json(TASKS[0].scene).encode(), "this is a scene; a task is an object with id, tier, goal and scene"),
    "no id": (b'{"": {}}', "an id must be text without spaces, as in mine:000, got ''"),
    "an id twice in binary": (binary(*[binary_task(TASKS[0])] * 2), "task 00000:000 occurs twice; ids must differ"),
    "an id twice in JSON": (b'{"0:0": {}, "1:0": {}, "0:0": {}}', "damaged JSON: '0:0' is given twice"),
    "an id twice in a list": (
        json.dumps([user_task(), user_task()]).encode(),
        "task mine:000 occurs twice; ids must differ",
    ),
    "no tasks in binary": (thrift({1: []}), "there are no tasks"),
    "numbers in binary": (thrift({1: [1]}), "task number 0 of the file: expected a struct with id, scene"),
    "another list in binary": (thrift({2: []}), "'tasks' is missing"),
    "bytes after binary": (BINARY + b"\x00", f"byte {len(BINARY)}: the struct has ended, but 1 bytes follow"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_and_damaged_files_are_rejected(name: str, file: Path) -> None:
    content, reason = FOREIGN[name]
    assert rejection(file, content).startswith(reason)


def test_a_path_without_a_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match=r"gone\.json: no such file"):
        load(tmp_path / "gone.json")
    with pytest.raises(TaskFileError, match=f"{tmp_path}: not a file"):
        load(tmp_path)


def test_the_size_of_decompressed_files_is_limited(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_files, "MOST_CONTENT", (1 << 20, 8, 8))
    assert "it unpacks to more than 1,0" in rejection(file, lzma.compress(b"[" + b" " * (1 << 21)))
    demands_4_gib = b"]" + b"\xff" * 12 + bytes(20)
    assert "Memory usage limit" in rejection(file, demands_4_gib)


@pytest.mark.parametrize("kind", FILES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_no_beginning_of_a_file_is_a_file(kind: str, file: Path, data: st.DataObject) -> None:
    rejection(file, FILES[kind][: data.draw(st.integers(0, len(FILES[kind]) - 1))])


@pytest.mark.parametrize(("kind", "examples"), [("binary", 150), ("binary in lzma", 50), ("json", 50)])
def test_changed_bytes_give_tasks_or_a_task_file_error(kind: str, examples: int, file: Path) -> None:
    places = st.integers(0, len(FILES[kind]) - 1)

    @given(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=4))
    @settings(max_examples=examples, deadline=None)
    def check(changes: list[tuple[int, int]]) -> None:
        content = bytearray(FILES[kind])
        for place, byte in changes:
            content[place] = byte
        with suppress(TaskFileError):
            assert all(isinstance(task, Task) for task in loaded(file, bytes(content)).values())

    check()


def test_saved_tasks_come_back_equal(file: Path) -> None:
    tasks = {task.id: task for task in TASKS}
    save(file, tasks)
    assert load(file) == tasks
    assert list(load(file)) == list(tasks)
    save(file, UNNAMED.values())
    assert load(file) == UNNAMED


numbers = st.floats(-1e6, 1e6)
sizes = st.floats(0.01, 1e6)


@st.composite
def any_task(draw: st.DrawFn) -> Task:
    """A task that no template makes: any numbers, other units, bodies with unusual names."""
    names = draw(st.lists(st.text(), min_size=2, max_size=4, unique=True))
    body, other, *_ = draw(st.permutations(range(len(names))))
    roles = {body: "object", other: "subject"}
    bodies = [
        Body(
            (draw(st.builds(Circle, sizes) | st.just(Polygon(((0, 0), (1, 0), (0, 1))))),),
            position=draw(st.tuples(numbers, numbers)),
            angle=draw(numbers),
            dynamic=draw(st.booleans()),
            density=draw(sizes),
            name=name,
            role=roles.get(k, draw(st.sampled_from(["", "placed"]))),
        )
        for k, name in enumerate(names)
    ]
    scene = Scene(tuple(bodies), units_per_metre=draw(st.sampled_from([1.0, 6.0]) | sizes), width=draw(sizes))
    return Task(draw(st.from_regex(r"\A[\w:/-]+\Z")), draw(st.sampled_from(list(phyre.TIERS))), scene, body, other)


@given(any_task())
@settings(max_examples=40, deadline=None)
def test_any_task_comes_back_to_the_last_bit(file: Path, task: Task) -> None:
    save(file, [task])
    assert repr(load(file)) == repr({task.id: task})


@pytest.mark.parametrize(
    ("tasks", "reason"),
    [
        ([], "there are no tasks"),
        ([TASKS[0], TASKS[1], TASKS[0]], "task 00000:000 occurs twice"),
        ([replace(TASKS[0], id="no spaces")], "an id must be text without spaces, as in mine:000, got 'no spaces'"),
        ([replace(TASKS[0], other=4)], "the goal names body 4 twice"),
    ],
)
def test_tasks_that_could_not_be_read_again_are_not_saved(tasks: list[Task], reason: str, tmp_path: Path) -> None:
    save(tmp_path / "tasks.json", TASKS)
    with pytest.raises(TaskFileError) as caught:
        save(tmp_path / "tasks.json", tasks)
    assert reason in str(caught.value)
    assert list(load(tmp_path / "tasks.json")) == [task.id for task in TASKS], "the old file still exists"
    assert [file.name for file in tmp_path.iterdir()] == ["tasks.json"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match="No such file or directory"):
        save(tmp_path / "nowhere" / "tasks.json", TASKS)


TEMPLATE = """
from tumble.phyre.catalogue.template import ball
ID, TIER, PARAMETERS = "mine", "B", {"x": [k / 1000 for k in range(%d)]}
def build(world, x):
    world.reject(%s)
    ground = world.static(ball(0.1), "ground", cx=0.5, bottom=0.0)
    world.goal(world.dynamic(ball(0.1), "ball", cx=x, bottom=0.5), ground)
"""


@pytest.mark.parametrize(
    ("combinations", "rejected", "count"), [(150, "False", 100), (7, "False", 7), (150, "x > 0.0195", 20)]
)
def test_a_python_template_gives_its_first_tasks(combinations: int, rejected: str, count: int, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TEMPLATE % (combinations, rejected))
    assert list(load_named(tmp_path / "mine.py")) == [f"mine:{number:03d}" for number in range(count)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ID = 'mine'", ": a template needs ID, TIER, PARAMETERS and build; TIER is missing"),
        ("x = 1\nx / 0", ", line 2: ZeroDivisionError: division by zero"),
        ("\n\n{", ", line 3: SyntaxError: "),
        ("raise SystemExit(3)", ", line 1: SystemExit: 3"),
        (TEMPLATE % (5, "1 / 0"), ", line 5: ZeroDivisionError: division by zero"),
        (TEMPLATE % (5, "False, True"), ", line 5: TypeError: World.reject() takes 2"),
        ((TEMPLATE % (5, "False")).replace("dynamic", "static"), ", line 7: the goal's first body must move"),
        (TEMPLATE % (5, "True"), ": the template has no tasks: build rejects every combination of PARAMETERS"),
        ((TEMPLATE % (5, "False")).rsplit("\n", 2)[0], ": task mine:000: its template names no goal"),
    ],
)
def test_a_broken_template_is_rejected(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(TaskFileError) as caught:
        load_named(path)
    assert str(caught.value).startswith(f"{path}{reason}")
    with pytest.raises(TaskFileError, match="a program, not a file of tasks"):
        load(path)


def test_a_missing_template_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match="no such Python file"):
        load_named(tmp_path / "mine.py")
