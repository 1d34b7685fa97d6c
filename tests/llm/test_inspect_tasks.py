"""Tasks of inspect_ai with scripted models: perfect, random, malformed and refusing ones score as they must."""

import base64
import random
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

import guess
from inspect_ai.model import ContentImage, ModelOutput
from mock_models import perfect, scripted, task_in

from tumble.errors import TumbleError
from tumble.llm.chat_messages import response_schema

Evaluate = Callable[..., Any]


def metrics(log: Any) -> dict[str, float]:
    assert log.status == "success", log.error
    (score,) = log.results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


@pytest.mark.parametrize("mode", ["text", "both"])
def test_perfect_answers_score_100_percent(evaluate: Evaluate, mode: str) -> None:
    found = metrics(evaluate(scripted(perfect), mode=mode))
    assert (found["solved"], found["solved_at_once"], found["valid"]) == (1, 1, 1)
    assert found["solved_stderr"] == 0


def test_scores_are_means_over_epochs(evaluate: Evaluate) -> None:
    rng = random.Random(1)
    log = evaluate(scripted(lambda _: f'{{"guess": {rng.randint(1, guess.HIGHEST)}}}'), {"epochs": 3}, limit=10)
    solved = [sample.scores["attempts"].value for sample in log.samples]
    assert len(solved) == 30
    assert 0 < sum(solved) < 30
    assert metrics(log)["solved"] == pytest.approx(sum(solved) / 30)


def test_standard_errors_are_those_between_templates(evaluate: Evaluate) -> None:
    found = metrics(evaluate(scripted(lambda text: perfect(text) if "Task odd" in text else "{}")))
    assert found["solved"] == 0.5
    assert found["solved_stderr"] == pytest.approx(0.5)  # the means of two templates are 0 and 1


@pytest.mark.parametrize(
    ("answer", "kind"), [("five", "malformed"), ("", "empty"), ("I'm sorry, I can't do this.", "refused")]
)
def test_answers_that_are_none_are_counted_as_what_they_are(evaluate: Evaluate, answer: str, kind: str) -> None:
    log = evaluate(scripted(lambda _: answer), limit=4)
    found = metrics(log)
    assert (found[kind], found["valid"], found["solved"]) == (1, 0, 0)
    for sample in log.samples:
        assert len(sample.store["turns"]) == guess.ATTEMPTS
        assert sample.store["usage"] == {"requests": 6, "input_tokens": 600, "output_tokens": 60}


def test_the_provider_s_content_filter_is_a_refusal(evaluate: Evaluate) -> None:
    def filtered(_: str) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", "", stop_reason="content_filter")

    assert metrics(evaluate(scripted(filtered), limit=2))["refused"] == 1


def test_samples_say_what_they_are_and_keep_every_attempt(evaluate: Evaluate) -> None:
    log = evaluate(scripted(lambda text: perfect(text) if "er." in text else '{"guess": 1}'), limit=20)
    assert log.eval.dataset.sample_ids[:4] == ["odd:1", "even:1", "odd:2", "even:2"]
    (sample,) = (sample for sample in log.samples if sample.id == "even:2")
    assert sample.metadata == {
        "benchmark": "guess",
        "task": "even:2",
        "template": "even",
        "selection": {"limit": 20},
        "prompt_version": "guess-1",
    }
    assert [turn["status"] for turn in sample.store["turns"]] == ["not solved", "solved"]
    assert [turn["record"]["guess"] for turn in sample.store["turns"]] == [1, guess.secret("even:2")]
    assert sample.scores["attempts"].value == 1
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "user", "assistant"]


def test_a_seed_draws_other_tasks_and_a_limit_is_stratified(evaluate: Evaluate) -> None:
    from tumble.inspect_tasks.tasks import benchmark_task

    def ids(**arguments: Any) -> list[str]:
        return [str(sample.id) for sample in benchmark_task("guess")(**arguments).dataset]

    drawn = ids(seed=3, limit=6)
    assert drawn == ids(seed=3, limit=6)
    assert drawn != ids(seed=4, limit=6)
    assert ids(seed=3)[:6] == drawn
    assert len(drawn) == 6
    assert sum(task_id.startswith("odd") for task_id in drawn) == 3


def test_pictures_are_data_urls_after_their_captions_and_schemas_reach_the_model(evaluate: Evaluate) -> None:
    seen: list[Any] = []
    log = evaluate(scripted(perfect, seen), mode="picture", limit=1, schema=True)
    text, caption, picture = seen[0][1].content
    assert task_in(text.text) == "odd:1"
    assert caption.text == "the hat"
    assert isinstance(picture, ContentImage)
    assert picture.image == "data:image/png;base64," + base64.b64encode(guess.PNG).decode()
    (request,) = (event for event in log.samples[0].events if event.event == "model")
    assert request.config.response_schema == response_schema(guess.SCHEMA)
    assert request.config.response_schema.json_schema.model_dump(exclude_none=True) == guess.SCHEMA


def test_what_was_answered_is_not_asked_again_except_without_cache(evaluate: Evaluate) -> None:
    seen: list[Any] = []
    model = scripted(lambda text: perfect(text) if "er." in text else '{"guess": 1}', seen)
    first = evaluate(model, limit=6)
    asked = len(seen)
    again = evaluate(model, limit=6)
    assert len(seen) == asked
    assert metrics(again) == metrics(first)
    assert [sample.store for sample in again.samples] == [sample.store for sample in first.samples]
    evaluate(model, limit=6, cache=False)
    assert len(seen) == 2 * asked


def test_a_key_that_the_benchmark_does_not_know_is_refused(evaluate: Evaluate) -> None:
    with pytest.raises(TumbleError, match="no such key: colour"):
        evaluate(scripted(perfect), colour="red")


def test_half_a_surrogate_pair_is_logged(evaluate: Evaluate) -> None:
    assert metrics(evaluate(scripted(lambda _: "\ud83d"), limit=1))["malformed"] == 1


def test_scores_are_computed_again_from_a_log(evaluate: Evaluate) -> None:
    from inspect_ai import score

    from tumble.inspect_tasks.scorer import attempts

    log = evaluate(scripted(perfect), limit=4)
    again = score(log, attempts(), action="overwrite", display="none")
    assert metrics(again) == metrics(log)


def test_all_small_names_the_benchmark_of_every_sample(evaluate: Evaluate) -> None:
    from tumble.inspect_tasks.tasks import all_small

    made = all_small(limit=4)
    assert [sample.id for sample in made.dataset] == ["guess/odd:1", "guess/odd:2", "guess/odd:3", "guess/odd:4"]
    with pytest.raises(TumbleError, match=r"guess: no such key: colour.*-T guess=false"):
        all_small(guess={"colour": "red"})
    with pytest.raises(TumbleError, match="no benchmark 'other'; installed are guess"):
        all_small(other={})
    with pytest.raises(TumbleError, match="no task is selected"):
        all_small(guess=False)


@pytest.mark.parametrize(("clusters", "error"), [("1234", (1 / 12) ** 0.5), ("aabb", 0.5), ("abab", 0.0)])
def test_standard_errors_are_those_of_the_clusters_of_a_benchmark(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch, clusters: str, error: float
) -> None:
    """Two of four tasks are solved, all of the same template: each alone, in the same cluster, or in two."""
    monkeypatch.setattr(guess.GuessSet, "cluster", lambda self, task_id: clusters[int(task_id[-1]) - 1])
    model = scripted(lambda text: perfect(text) if task_in(text) in ("odd:1", "odd:2") else "no idea")
    assert metrics(evaluate(model, limit=4))["solved_stderr"] == pytest.approx(error)
