"""Where a program went wrong: the first step whose value differs by more than a few frames."""

from tumble.comphy.questions.interpreter import Step
from tumble.comphy.report.inspection_page import compare_steps, first_difference, same_value, shortened_value


def steps(*pairs: tuple[str, str]) -> list[Step]:
    return [Step(*pair) for pair in pairs]


TRUTH = steps(("objects", "red cube, blue cube"), ("red", "red"), ("filter_color", "red cube"), ("count", "1"))


def test_the_first_difference() -> None:
    same = compare_steps(TRUTH, TRUTH)
    assert first_difference(same) is None
    assert [step.is_literal for step in same] == [False, True, False, False]
    wrong = steps(("objects", "blue cube, red cube"), ("red", "red"), ("filter_color", "none"), ("count", "0"))
    compared = compare_steps(wrong, TRUTH)
    assert first_difference(compared) == 2
    assert compared[2].texts == ("none", "red cube")


def test_other_programs_differ_where_their_tokens_do() -> None:
    other = [*TRUTH[:1], Step("blue", "blue"), *TRUTH[2:]]
    assert first_difference(compare_steps(other, TRUTH)) == 1
    assert first_difference(compare_steps(TRUTH[:2], TRUTH)) == 2
    assert first_difference(compare_steps([*TRUTH, Step("exist", "yes")], TRUTH)) == 4


def test_frames_may_differ_a_little() -> None:
    assert same_value("frame 40", "frame 45")
    assert not same_value("frame 40", "frame 46")
    assert not same_value("in of red cube at frame 40", "out of red cube at frame 40")
    assert not same_value("2", "3")
    assert same_value("collision of a and b, start at frame 0", "start at frame 0, collision of b and a")


def test_long_lists_are_shortened_to_what_the_other_lacks() -> None:
    one = ", ".join(f"collision of red metal cube and blue rubber sphere at frame {k}" for k in (10, 50, 90))
    assert shortened_value(one, one) == "3 values"
    assert shortened_value(one, one.rpartition(", ")[0]).endswith("blue rubber sphere at frame 90")
