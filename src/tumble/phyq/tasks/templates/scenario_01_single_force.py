"""Scenario 1, single force: the pig has to be destroyed with one push: hit it directly with the bird."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import LeftOfLine, UnderLine, Variation, pig

TEMPLATES = (
    Template(
        "1.1",
        "A roof covers the pig: hit it along the low trajectory.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.85426, -1.99274, 1.07692),),
            blocks=(Block("circle", "wood", -0.93016, -0.59547, 359.8677),),
            platforms=(
                Platform(-0.862, -2.474, 0.0, 2.089, 0.763),
                Platform(-0.89, -1.23, 0.0, 2.089, 0.763),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-7.0, 6.0), y=(-2.829752, 4.0))),
        in_reach=(pig(0),),
    ),
    Template(
        "1.2",
        "A wall stands before the pig: hit it along the high trajectory.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.85426, -1.99274, 1.07692),),
            platforms=(
                Platform(-0.862, -2.474, 0.0, 2.089, 0.763),
                Platform(-2.5, -1.85, 90.0, 2.32715, 0.763),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-7.0, 6.0), y=(-2.829752, 4.0))),
        in_reach=(pig(0),),
    ),
    Template(
        "1.3",
        "The pig sits in a cup under a roof: only a shot with less than full stretch falls in steeply enough.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -3.50998, -2.64784, 1.15368),),
            blocks=(
                Block("circle_small", "wood", -3.69, 1.20304, 0.00745),
                Block("circle_small", "stone", -2.64001, 1.20309, 0.03393),
                Block("circle_small", "ice", -4.73001, 1.20309, 0.03393),
            ),
            platforms=(
                Platform(-3.617, -3.042, 0.0, 2.79102, 0.49384),
                Platform(-3.595, 0.82, 0.0, 4.68643, 0.49384),
                Platform(-4.38, -2.507, 90.0, 2.1128, 0.49384),
                Platform(-2.65, -2.51, 90.0, 2.1128, 0.49384),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-5.0, 1.0), y=(-2.4, 0.0))),
        in_reach=(pig(0),),
    ),
    Template(
        "1.4",
        "The pig stands on the ground: hit it along the low or the high trajectory.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.00044, -3.26683, 1.21353),),
        ),
        Variation(pig(0), LeftOfLine(x=(-9.96, 9.397), height=-3.263795), moves="pig in x"),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
    ),
    Template(
        "1.5",
        "The pig stands on a platform: hit it along the low or the high trajectory.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.85426, -1.99274, 1.07692),),
            platforms=(Platform(-0.862, -2.474, 0.0, 2.089, 0.763),),
        ),
        Variation(pig(0), UnderLine(x=(-7.0, 6.0), y=(-2.829752, 4.0))),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
    ),
)
