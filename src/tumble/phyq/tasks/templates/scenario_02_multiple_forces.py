"""Scenario 2, multiple forces: one push doesn't destroy the pig: hit it directly again and again; three birds are
enough for a big pig."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import AlongX, InBox, UnderLine, Variation, pig

TEMPLATES = (
    Template(
        "2.1",
        "A roof covers a big pig: hit it three times along the low trajectory.",
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -0.81774, -1.73675, 359.8833),),
            blocks=(Block("square_hole", "stone", -0.94944, -0.12221, 0.42717),),
            platforms=(
                Platform(-0.911, -2.474, 0.0, 2.93211, 0.763),
                Platform(-0.92, -0.77, 0.0, 2.089, 0.763),
                Platform(0.026, -2.319, 0.0, 1.0, 1.2587),
                Platform(-1.685, -2.317, 0.0, 1.0, 1.2587),
            ),
        ),
        Variation(pig(0), InBox(x=(-8.0, 4.0), y=(-1.4, 2.0), low_on="left")),
        in_reach=(pig(0),),
    ),
    Template(
        "2.2",
        "A wall stands before a big pig: hit it three times along the high trajectory.",
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -0.8513, -1.73459, 359.2603),),
            platforms=(
                Platform(-0.8406, -2.474, 0.0, 2.02193, 0.763),
                Platform(-4.31, -1.93, 90.0, 2.50634, 0.763),
                Platform(0.069, -2.342, 0.0, 1.0, 1.1863),
                Platform(-1.71, -2.342, 0.0, 1.0, 1.1863),
            ),
        ),
        Variation(pig(0), InBox(x=(-5.0, 4.5), y=(-2.4, 2.5), low_on="left")),
        in_reach=(pig(0),),
    ),
    Template(
        "2.3",
        "A big pig sits in a cup under a roof: hit it three times with less than full stretch.",
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -3.45, -2.38884, 359.8212),),
            blocks=(
                Block("circle_small", "wood", -4.66, 1.20435),
                Block("circle_small", "wood", -2.5, 1.20305, 0.0109),
                Block("triangle_hole", "ice", -3.51, 1.37726),
            ),
            platforms=(
                Platform(-3.617, -3.042, 0.0, 2.79102, 0.49384),
                Platform(-3.595, 0.82, 0.0, 4.68643, 0.49384),
                Platform(-4.38, -2.386, 90.0, 2.49079, 0.49384),
                Platform(-2.65, -2.389, 90.0, 2.49079, 0.49384),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-5.0, 1.0), y=(-2.4, 0.0))),
        in_reach=(pig(0),),
    ),
    Template(
        "2.4",
        "A big pig stands on the ground: hit it three times along the low or the high trajectory.",
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", 1.77664, -3.00706, 359.8405),),
            platforms=(Platform(17.86, 1.09, 0.0, 1.12164, 27.99809),),
        ),
        Variation(pig(0), AlongX((-8.96, 8.397)), moves="pig in x"),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
    ),
    Template(
        "2.5",
        "A big pig stands on a platform: hit it three times along the low or the high trajectory.",
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -0.76, -1.73274, 359.6578),),
            platforms=(
                Platform(-0.862, -2.474, 0.0, 2.089, 0.763),
                Platform(0.06, -2.343, 0.0, 1.0, 1.179),
                Platform(-1.66, -2.343, 0.0, 1.0, 1.179),
            ),
        ),
        Variation(pig(0), InBox(x=(-8.0, 4.0), y=(-1.4, 2.0), low_on="left")),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
    ),
)
