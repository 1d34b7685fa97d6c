"""Targets of states from which many shots are known."""

import numpy as np
import torch
from learner_tasks import CPU, PAIR, TASKS, small_config

from tumble.phyq.models.q_updates import OutcomeTargets
from tumble.phyq.models.shot_outcomes import CONTINUES, ShotOutcomes


class Constant:
    """Networks whose copies give the value 0.1 (k + 1) to angle 5 in every state, and less to the others."""

    def target_values(self, x: torch.Tensor) -> torch.Tensor:
        best = torch.eye(180)[5] * 0.1
        return torch.stack([(k + 1) * best.expand(x.shape[1], -1) for k in range(len(x))])


def test_a_shot_that_goes_on_is_worth_the_best_of_the_next_state() -> None:
    outcomes = ShotOutcomes([TASKS[task_id] for task_id in PAIR], "symbolic", CPU, threads=1)
    found, after = outcomes.play(np.array([0, 1]), np.array([10, 12]))
    assert (found == CONTINUES).all()
    outcomes.play(after[:1], np.array([11]))
    states = [np.array([0, 1, 2, after[0]]), np.array([1, 2])]
    targets = OutcomeTargets.of(Constant(), outcomes, states, small_config(gamma=0.5))  # type: ignore[arg-type]
    assert targets.known.sum((1, 2)).tolist() == [3, 1]
    assert torch.allclose(targets.targets[0, 0, 10], torch.tensor(0.5 * 0.1))
    assert torch.allclose(targets.targets[1, 0, 12], torch.tensor(0.5 * 0.2))
    assert float(targets.targets[0, 3, 11]) == 0.0  # the last bird
    assert targets.counts.tolist() == [[3, 4], [2, 2]]
    rows = targets.draw(400, 2, [torch.Generator().manual_seed(k) for k in range(2)])
    assert abs(float((rows[:, 0] == 3).float().mean()) - 0.5) < 0.06  # half are later states
    assert int(rows[:, 1].max()) == 1
    batch, wanted, known = targets.batch(rows[0])
    assert torch.equal(batch[0], targets.states[0][rows[0, 0]])
    assert wanted.shape == known.shape == (2, 2, 180)
