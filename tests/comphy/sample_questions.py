"""Questions written by hand, for tests of metrics and blind agents."""

from tumble.comphy.catalogue.task import CORRECT, WRONG, Choice, Kind, Question, QuestionSet


def factual(number: int, text: str, program: str, answer: str | None) -> Question:
    words = tuple(program.split())
    return Question(number, "factual", f"object_{words[-1]}", text, words, answer)


def multiple(number: int, kind: Kind, answers: str, texts: tuple[str, ...] = ()) -> Question:
    """A question with an option for each letter: c for correct, w for wrong."""
    words = {"c": CORRECT, "w": WRONG}
    named = texts or tuple(f"The red cube and object {k} collide." for k in range(len(answers)))
    choices = tuple(
        Choice(k, text, ("events",), words[letter]) for k, (letter, text) in enumerate(zip(answers, named, strict=True))
    )
    program = ("unseen_events", "belong_to") if kind == "predictive" else ("all_events", "belong_to", "not")
    return Question(number, kind, f"{kind}_collision", "What will happen next?", program, None, choices)


def question_set(index: int = 7) -> QuestionSet:
    return QuestionSet(
        index,
        (
            factual(0, "Are there any heavy cubes?", "objects cube filter_shape filter_heavy exist", "yes"),
            factual(
                1,
                "What are the colors of the two charged objects?",
                "objects filter_charged query_both_color",
                "red and blue",
            ),
            multiple(2, "predictive", "cw"),
            multiple(3, "counterfactual", "cwwc"),
        ),
    )
