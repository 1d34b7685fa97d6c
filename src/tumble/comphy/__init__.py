"""ComPhy: videos of bodies with hidden mass and charge, and questions about what is, will and would happen.

from tumble import comphy

videos = comphy.make_set(index=42, seed=1)                  # bodies, and their motion in five videos
scene = comphy.symbolic_scene(videos)
comphy.Interpreter(scene).execute(comphy.parse_question("How many heavy cubes are there?").program)

comphy.generate("data", sets=100, seed=1)                   # a dataset with videos and questions
for example in comphy.open_dataset("data").examples("test"):
    example.frames(), example.questions
"""

from typing import TYPE_CHECKING

from tumble.lazy import lazy_exports

if TYPE_CHECKING:
    from tumble.comphy.agents.agent import Agent
    from tumble.comphy.catalogue.body import Body, Collision, Motion
    from tumble.comphy.catalogue.task import Choice, Observation, Question, QuestionSet, SeenVideo, Task
    from tumble.comphy.catalogue.video_set import Alteration, Reference, Stage, VideoSet
    from tumble.comphy.dataset.folder import verify
    from tumble.comphy.dataset.load import Dataset, Example, open_dataset
    from tumble.comphy.dataset.observe import observe_videos
    from tumble.comphy.evaluation.metrics import by_family, by_kind, mark, mark_all
    from tumble.comphy.generation.generate import extend, generate
    from tumble.comphy.generation.make_set import make_set
    from tumble.comphy.models.perceiver.perceive import Perceiver
    from tumble.comphy.observation.clips import clip_on, render_clips
    from tumble.comphy.observation.renderer import Clip, Frames, clip_of, render, render_each, render_many
    from tumble.comphy.questions.ask import SPLIT_OPTIONS, OptionSettings, ask_block
    from tumble.comphy.questions.interpreter import Interpreter
    from tumble.comphy.questions.parser import parse_question
    from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
    from tumble.comphy.simulation.events import Event, events_of
    from tumble.comphy.simulation.simulator import InitialState, physics_id, simulate

__all__ = [
    "SPLIT_OPTIONS",
    "Agent",
    "Alteration",
    "Body",
    "Choice",
    "Clip",
    "Collision",
    "Dataset",
    "Event",
    "Example",
    "Frames",
    "InitialState",
    "Interpreter",
    "Motion",
    "Observation",
    "OptionSettings",
    "Perceiver",
    "Question",
    "QuestionSet",
    "Reference",
    "SeenVideo",
    "Stage",
    "SymbolicScene",
    "Task",
    "VideoSet",
    "ask_block",
    "by_family",
    "by_kind",
    "clip_of",
    "clip_on",
    "events_of",
    "extend",
    "generate",
    "make_set",
    "mark",
    "mark_all",
    "observe_videos",
    "open_dataset",
    "parse_question",
    "physics_id",
    "render",
    "render_clips",
    "render_each",
    "render_many",
    "simulate",
    "symbolic_scene",
    "verify",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "SPLIT_OPTIONS": "questions.ask:SPLIT_OPTIONS",
        "Agent": "agents.agent:Agent",
        "Alteration": "catalogue.video_set:Alteration",
        "Body": "catalogue.body:Body",
        "Choice": "catalogue.task:Choice",
        "Clip": "observation.renderer:Clip",
        "Collision": "catalogue.body:Collision",
        "Dataset": "dataset.load:Dataset",
        "Event": "simulation.events:Event",
        "Example": "dataset.load:Example",
        "Frames": "observation.renderer:Frames",
        "InitialState": "simulation.simulator:InitialState",
        "Interpreter": "questions.interpreter:Interpreter",
        "Motion": "catalogue.body:Motion",
        "Observation": "catalogue.task:Observation",
        "OptionSettings": "questions.ask:OptionSettings",
        "Perceiver": "models.perceiver.perceive:Perceiver",
        "Question": "catalogue.task:Question",
        "QuestionSet": "catalogue.task:QuestionSet",
        "Reference": "catalogue.video_set:Reference",
        "SeenVideo": "catalogue.task:SeenVideo",
        "Stage": "catalogue.video_set:Stage",
        "SymbolicScene": "questions.symbolic_scene:SymbolicScene",
        "Task": "catalogue.task:Task",
        "VideoSet": "catalogue.video_set:VideoSet",
        "ask_block": "questions.ask:ask_block",
        "by_family": "evaluation.metrics:by_family",
        "by_kind": "evaluation.metrics:by_kind",
        "clip_of": "observation.renderer:clip_of",
        "clip_on": "observation.clips:clip_on",
        "events_of": "simulation.events:events_of",
        "extend": "generation.generate:extend",
        "generate": "generation.generate:generate",
        "make_set": "generation.make_set:make_set",
        "mark": "evaluation.metrics:mark",
        "mark_all": "evaluation.metrics:mark_all",
        "observe_videos": "dataset.observe:observe_videos",
        "open_dataset": "dataset.load:open_dataset",
        "parse_question": "questions.parser:parse_question",
        "physics_id": "simulation.simulator:physics_id",
        "render": "observation.renderer:render",
        "render_clips": "observation.clips:render_clips",
        "render_each": "observation.renderer:render_each",
        "render_many": "observation.renderer:render_many",
        "simulate": "simulation.simulator:simulate",
        "symbolic_scene": "questions.symbolic_scene:symbolic_scene",
        "verify": "dataset.folder:verify",
    },
)
