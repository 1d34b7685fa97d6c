"""The page of a set: one self-contained file with everything about the set."""

import re
from functools import cache
from html import unescape

import pytest

from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.clips import render_videos
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.report.set_page import page_of
from tumble.report import page


@cache
def made() -> tuple[VideoSet, QuestionSet, str]:
    videos = make_set(42, "charge", 1)
    (questions,) = ask_block({42: symbolic_scene(videos)}, 1, SPLIT_OPTIONS["test"])
    return videos, questions, page.html(page_of(videos, questions, render_videos(videos, (48, 32))))


def test_five_videos_are_embedded_in_the_page() -> None:
    _, _, text = made()
    assert text.count('<video src="data:video/mp4;base64,') == 5
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"|<metadata>.*?</metadata>', "", text, flags=re.DOTALL)


def test_the_page_has_all_bodies_events_and_questions() -> None:
    videos, questions, text = made()
    plain = unescape(text)
    scene = symbolic_scene(videos)
    for body in videos.bodies:
        assert str(body) in plain
    assert plain.count("not shown") == len(scene.future_events)
    for question in questions.questions:
        assert question.text in plain
        assert " ".join(question.program) in plain
        for choice in question.choices:
            assert f"{choice.answer}: {choice.text}" in plain
            assert " ".join(choice.program) in plain


@pytest.mark.parametrize("label", ["comes in", "collision"])
def test_the_legend_of_the_time_line_lists_the_kinds_of_events(label: str) -> None:
    videos, _, text = made()
    scene = symbolic_scene(videos)
    event_kind = {"comes in": "in", "collision": "collision"}[label]
    happens = any(event.kind == event_kind for event in (*scene.shown_events, *scene.future_events))
    assert (f">{label}<" in text) == happens


def test_a_page_without_videos() -> None:
    videos, questions, _ = made()
    assert "<video" not in page.html(page_of(videos, questions, []))


def test_objects_of_the_div_world_are_named_in_the_figure() -> None:
    videos = make_set(0, seed=1, world="div")
    text = page.html(page_of(videos, QuestionSet(0, ()), []))
    assert "Tracks start at a dot, beside which the object is named." in text
    assert videos.stage is not None
    assert f"The floor is {videos.stage.floor}" in text
    assert "squares are cubes" not in text
