"""Agents: how they are called, what they see, and where ours aim."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_headers import header_of

from tumble.phyq import agents
from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.agents.bambirds_style import BambirdsStyle
from tumble.phyq.agents.datalab_style import DatalabStyle, EaglesWingStyle
from tumble.phyq.agents.perception import Relations, flights_of, perceive
from tumble.phyq.agents.pig_shooter import PigShooter
from tumble.phyq.agents.random_shots import RandomShots
from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.templates import template
from tumble.phyq.catalogue.trajectory import REST_POINT, releases_to
from tumble.phyq.evaluation.evaluate import attempt_all
from tumble.phyq.observation.objects import objects_of
from tumble.phyq.simulation import simulator
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.episodes import EpisodeError
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.log import Log, open_log
from tumble.runs.participant import AgentError

ON_GROUND = -3.5 + 0.2377
"""Height of a small pig on the ground."""
ONE_PIG = Task("one:000", Level(("red",), (Pig("small", 0.0, ON_GROUND),)))
TWO_PIGS = Task("two:000", Level(("red", "red"), (Pig("small", 3.0, ON_GROUND), Pig("small", -5.0, ON_GROUND))))
MISS = Shot(-80.0)


def at(task: Task, pig: int, **more: float) -> Shot:
    target = task.level.pigs[pig]
    return Shot(releases_to((target.x, target.y))[0].angle, **more)


def attempted(agent: Agent, tasks: Sequence[Task], folder: Path, attempts: int = 1) -> Log:
    with open_log(folder / "a.jsonl", header_of()) as log:
        attempt_all(agent, tasks, Simulator([task.level for task in tasks]), log, attempts)
    return log


@dataclass
class Script(Agent):
    """Proposes given shots one after the other, and records what it gets."""

    answers: list[Any]
    seen: list[tuple[tuple[Attempt, ...], AttemptState]] = field(default_factory=list)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Any:
        self.seen.append((tuple(past), state))
        return self.answers.pop(0)


# How agents are called


def test_an_attempt_lasts_until_the_level_is_won_or_the_birds_are_used_up(tmp_path: Path) -> None:
    agent = Script([at(TWO_PIGS, 0), at(TWO_PIGS, 1), MISS, MISS])
    rows = attempted(agent, [TWO_PIGS], tmp_path, attempts=2).tasks["two:000"]
    assert [row["status"] for row in rows] == [1, -1]
    assert [len(row["action"]) for row in rows] == [10, 10]  # two shots of five numbers each
    assert [state.birds for _, state in agent.seen] == [("red", "red"), ("red",)] * 2
    assert [state.attempt for _, state in agent.seen] == [1, 1, 2, 2]


def test_it_sees_the_current_state(tmp_path: Path) -> None:
    agent = Script([at(TWO_PIGS, 0), at(TWO_PIGS, 1)])
    attempted(agent, [TWO_PIGS], tmp_path)
    before, after = (state for _, state in agent.seen)
    assert [(obj.kind, round(obj.x)) for obj in before.objects if obj.kind == "pig"] == [
        ("pig", 3),
        ("pig", -5),
    ]
    assert [(obj.kind, round(obj.x)) for obj in after.objects if obj.kind == "pig"] == [("pig", -5)]
    assert after.current is not None
    assert (after.current.status, after.current.kills, after.current.pigs_left) == ("open", (1,), 1)
    assert after.view.picture().shape == (480, 640, 3)
    assert after.view.tensor()[..., 6].any()


def test_shot_by_shot_gives_the_same_result_as_the_whole_sequence(tmp_path: Path) -> None:
    shots = [at(TWO_PIGS, 0), at(TWO_PIGS, 1)]
    (row,) = attempted(Script(list(shots)), [TWO_PIGS], tmp_path).tasks["two:000"]
    episodes = simulator.play(TWO_PIGS.level, [shots])
    assert (row["status"], row["steps"]) == (1, episodes.steps[0])


def test_several_shots_at_once_can_have_a_delay(tmp_path: Path) -> None:
    agent = Script([[at(TWO_PIGS, 0), at(TWO_PIGS, 1, delay=4.0)]])
    (row,) = attempted(agent, [TWO_PIGS], tmp_path).tasks["two:000"]
    assert row["status"] == 1
    assert row["action"][9] == 4.0


def test_none_ends_an_attempt_as_failed(tmp_path: Path) -> None:
    rows = attempted(Script([None, MISS, None]), [TWO_PIGS], tmp_path, attempts=2).tasks["two:000"]
    assert [(row["status"], len(row["action"])) for row in rows] == [(0, 0), (0, 5)]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([[MISS] * 3], "proposed 3 shots, but 2 birds are left"),
        ([42.0], "which is not a shot"),
        ([MISS, Shot(10.0, delay=1.0)], "proposed a shot with a delay after everything came to rest"),
    ],
)
def test_invalid_proposals_are_rejected(answers: list[Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=message):
        attempted(Script(answers), [TWO_PIGS], tmp_path)


def test_past_attempts_are_given_only_to_agents_that_use_them(tmp_path: Path) -> None:
    agent = Script([MISS, at(ONE_PIG, 0)])
    attempted(agent, [ONE_PIG], tmp_path, attempts=2)
    assert [[tried.status for tried in past] for past, _ in agent.seen] == [[], ["lost"]]

    class WithoutPast(Script):
        uses_past = False

    other = WithoutPast([MISS, at(ONE_PIG, 0)])
    rows = attempted(other, [ONE_PIG], tmp_path / "b", attempts=2).tasks["one:000"]
    assert [past for past, _ in other.seen] == [(), ()]
    assert [row["status"] for row in rows] == [-1, 1]


def test_agents_get_what_they_want(tmp_path: Path) -> None:
    class WantsAll(Script):
        wants = ("trajectory", "events")

    agent = WantsAll([at(ONE_PIG, 0), MISS])
    attempted(agent, [ONE_PIG], tmp_path, attempts=2)
    (tried,) = agent.seen[-1][0]
    assert next(event.kind for event in tried.events) == "release"
    assert any(event.kind == "death" and event.object and event.object.kind == "pig" for event in tried.events)
    assert len(tried.motion.poses) > 10
    with pytest.raises(EpisodeError, match="must set wants"):
        _ = Attempt((), "lost", 1, (), 1).events


def test_online_learners_get_tasks_one_by_one_and_learn_from_a_log_when_resumed(tmp_path: Path) -> None:
    class Learner(Agent):
        learns_online = True

        def __init__(self) -> None:
            self.learned: list[tuple[str, list[str]]] = []

        def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
            return list(reversed(tasks))

        def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
            return at(task, 0) if self.learned else MISS

        def learn(self, task: Task, past: Sequence[Attempt]) -> None:
            self.learned.append((task.id, [tried.status for tried in past]))

    first = Learner()
    log = attempted(first, [ONE_PIG, TWO_PIGS], tmp_path)
    assert first.learned == [("two:000", ["lost"]), ("one:000", ["won"])]
    again = Learner()
    attempt_all(again, [ONE_PIG, TWO_PIGS], Simulator([ONE_PIG.level, TWO_PIGS.level]), log, 1)
    assert again.learned == first.learned


def test_an_agent_in_a_user_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from tumble.phyq.agents.agent import Agent\nfrom tumble.phyq import Shot\n"
        "class Mine(Agent):\n    def __init__(self, angle=10.0):\n        self.angle = angle\n"
        "    def propose(self, task, past, state):\n        return Shot(self.angle)\n"
        "class Idle(Agent):\n    pass\n"
    )
    assert agents.make(f"{file}:Mine", angle=20.0).propose(ONE_PIG, (), AttemptState(ONE_PIG, 1)) == Shot(20.0)
    with pytest.raises(AgentError, match=r"Idle must have a method propose\(self, task, past, state\)"):
        agents.class_of(f"{file}:Idle")
    with pytest.raises(AgentError, match="there are random, pig_shooter, datalab_style"):
        agents.class_of("alphabird")


# Flights and relations


def test_first_objects_of_flights_are_first_contacts_of_birds() -> None:
    """Against the physics: the first contact of the bird, over templates and angles."""
    angles = np.arange(-10.0, 80.0, 6.0)
    same = total = 0
    for key in ("1.2", "3.3", "6.4", "10.1", "12.3", "13.4"):
        level = template(key).base
        seen = [obj for obj in objects_of(level) if obj.kind != "bird"]
        flights = flights_of(angles, seen, "red", level.rest_point)
        episodes = simulator.play(level, [[Shot(float(angle))] for angle in angles], want=("events",))
        world = episodes.worlds[0]
        for row in range(len(angles)):
            own = episodes.events[(episodes.events["episode"] == row) & (episodes.events["kind"] == "hit")]
            hit = own[(own["body"] == world.first_bird) | (own["other"] == world.first_bird)][0]
            body = hit["other"] if hit["body"] == world.first_bird else hit["body"]
            member = world.members[int(body)]
            first = flights.first(row)
            expected = "ground" if first is None else flights.objects[first].kind
            same += expected == member.role
            total += 1
    assert same / total > 0.95


def test_support_relations() -> None:
    level = Level(
        ("red",),
        (Pig("small", 5.0, ON_GROUND),),
        blocks=(Block("circle", "wood", 0.0, 0.81), Block("rect_big", "wood", 0.0, 0.33)),
        platforms=(Platform(0.0, 0.0, scale_x=2.0, scale_y=0.7),),
    )
    relations = Relations(tuple(obj for obj in objects_of(level) if obj.kind != "bird"))
    pig, ball, plank, platform = range(4)
    assert relations.round_blocks == [ball]
    assert relations.supports(ball) == [plank]
    assert relations.supports(plank) == [platform]
    assert relations.carried(platform) == {plank, ball}
    assert relations.buildings == [[ball, plank]]
    assert not relations.supports(pig)


# Our agents


def test_random_directions_follow_the_box_of_the_paper() -> None:
    """A point of a box of 10 to 100 by 100 up and down lies steeper than 45 degrees with chance 1 - 0.55."""
    agent = RandomShots()
    shots = [agent.propose(ONE_PIG, (), AttemptState(ONE_PIG, number)) for number in range(1, 2001)]
    steep = np.mean([abs(shot.angle) > 45.0 for shot in shots])
    assert abs(steep - 0.45) < 4.0 * (0.45 * 0.55 / 2000) ** 0.5
    assert abs(np.mean([shot.angle > 0.0 for shot in shots]) - 0.5) < 4.0 * 0.5 / 2000**0.5
    assert np.mean([shot.stretch == 1.0 for shot in shots]) > 0.95
    assert shots[0] == agent.propose(ONE_PIG, (), AttemptState(ONE_PIG, 1))
    assert shots[0] != RandomShots(seed=1).propose(ONE_PIG, (), AttemptState(ONE_PIG, 1))


def test_birds_with_powers_are_tapped_between_half_and_four_fifths_of_the_way() -> None:
    task = Task("blue:000", Level(("blue",), ONE_PIG.level.pigs))
    taps = [RandomShots().propose(task, (), AttemptState(task, number)).tap_share for number in range(1, 200)]
    assert 0.5 <= min(filter(None, taps)) < 0.52 < 0.78 < max(filter(None, taps)) <= 0.8


def test_pig_shooter_aims_low_or_high_and_is_a_little_off_as_published() -> None:
    exact = releases_to((0.0, ON_GROUND))
    for trajectory, release in zip(("low", "high"), exact, strict=True):
        shot = PigShooter(trajectory=trajectory).propose(ONE_PIG, (), AttemptState(ONE_PIG, 1))
        assert 0.0 < abs(shot.angle - release.angle) < 2.0
    angles = {PigShooter().propose(ONE_PIG, (), AttemptState(ONE_PIG, number)).angle for number in range(1, 20)}
    assert len(angles) == 2
    far = Task("far:000", Level(("red",), (Pig("small", 14.0, ON_GROUND),)))
    assert PigShooter().propose(far, (), AttemptState(far, 1)).angle == pytest.approx(24.19, abs=0.01)
    with pytest.raises(AgentError, match="trajectory must be random, low or high"):
        agents.make("pig_shooter", trajectory="flat")


@pytest.mark.parametrize("agent", [DatalabStyle(), EaglesWingStyle(), BambirdsStyle()])
def test_heuristic_agents_shoot_open_pigs_directly(agent: Agent, tmp_path: Path) -> None:
    assert attempted(agent, [ONE_PIG], tmp_path).tasks["one:000"][0]["status"] == 1


@pytest.mark.parametrize("agent", [DatalabStyle(), EaglesWingStyle(), BambirdsStyle()])
def test_heuristic_agents_hit_the_ball_that_rolls_to_a_hidden_pig(agent: Agent) -> None:
    """Template 3.6: the pig is out of reach, and a ball lies at the top of the ramp above it."""
    level = template("3.6").base
    state = AttemptState(Task("3.6:base", level), 1)
    shot = agent.propose(state.task, (), state)
    assert isinstance(shot, Shot)
    scene = perceive(state)
    first = scene.flights([shot.angle]).first(0)
    assert first is not None
    assert scene.objects[first].name == "circle"


def test_bambirds_style_does_not_repeat_a_shot_that_failed() -> None:
    state = AttemptState(Task("6.4:base", template("6.4").base), 2)
    agent = BambirdsStyle()
    first = agent.propose(state.task, (), state)
    second = agent.propose(state.task, (Attempt((first,), "lost", 1, (0,), 500),), state)
    assert abs(first.angle - second.angle) > 0.3


def test_eagles_wing_style_changes_angles_of_later_attempts() -> None:
    shots = [EaglesWingStyle().propose(ONE_PIG, (), AttemptState(ONE_PIG, number)) for number in (1, 1, 2, 3)]
    assert shots[0] == shots[1]
    assert 0.0 < abs(shots[2].angle - shots[0].angle) <= 1.0
    assert shots[2].angle != shots[3].angle


def test_white_birds_of_bambirds_style_drop_their_egg_above_the_pig(tmp_path: Path) -> None:
    task = Task("white:000", Level(("white",), (Pig("small", 0.0, ON_GROUND),), platforms=(Platform(-1.0, -2.9),)))
    state = AttemptState(task, 1)
    shot = BambirdsStyle().propose(task, (), state)
    assert task.level.rest_point == REST_POINT
    assert attempted(BambirdsStyle(), [task], tmp_path).tasks["white:000"][0]["status"] == 1
    assert shot.tap_ms is not None or perceive(state).flights([shot.angle]).first(0) == 0
