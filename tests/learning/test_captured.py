"""Steps that a GPU replays as graphs: the same result as without, for each shape of their inputs."""

import pytest

torch = pytest.importorskip("torch")

from tumble.learning.networks import (
    CapturedStep,
    capturable_adam,
    load_optimizer_state,
    parallel_branches,
    set_learning_rate,
)

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")),
]


@pytest.mark.parametrize("device_name", DEVICES)
def test_captured_steps_end_with_the_same_weights(device_name: str) -> None:
    device = torch.device(device_name)

    def train(is_captured: bool) -> list[float]:
        torch.manual_seed(0)
        networks = [torch.nn.Linear(4, 1).to(device) for _ in range(2)]
        parameters = [one for network in networks for one in network.parameters()]
        optimizer = capturable_adam(parameters, 0.1, device)

        def step(inputs: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            losses = []
            with parallel_branches(device) as branch:
                for network in networks:
                    with branch():
                        loss = (network(inputs) - 1.0).square().mean()
                        loss.backward()
                    losses.append(loss.detach())
            optimizer.step()
            return torch.stack(losses).sum()

        run = CapturedStep(step, device) if is_captured else step
        losses = []
        for number in range(12):
            set_learning_rate(optimizer, 0.1 / (1 + number))
            if number == 6:
                load_optimizer_state(optimizer, optimizer.state_dict())
            losses.append(float(run(torch.full((3 + number % 2, 4), 0.1 * number, device=device))))
        return losses

    losses = train(is_captured=True)
    assert losses == train(is_captured=False)
    assert losses[-1] < losses[0]
