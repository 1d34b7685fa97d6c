"""Scenario 5, sliding: a block that doesn't roll has to slide along a surface into the pig."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import AlongX, OnLine, UnderLine, Variation, block, pig, point

TEMPLATES = (
    Template(
        "5.1",
        "The pig is just out of reach: push the square before it along the flat into it.",
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.09, 1.54929, 0.80327),),
            blocks=(Block("square_hole", "wood", 2.44, 1.71176, 0.23635),),
            platforms=(Platform(2.107, 1.02, 0.0, 6.68104, 0.91),),
        ),
        Variation(point(2.44, 1.71176), OnLine()),
        in_reach=(block(0),),
    ),
    Template(
        "5.2",
        "A roof covers the pig: push the square at the top of the ramp, so that it slides down into the pig.",
        Level(
            birds=("red",),
            pigs=(Pig("small", 0.63123, -2.70276, 0.67404),),
            blocks=(
                Block("square_hole", "wood", -1.51509, -1.64602, 180.0916),
                Block("circle", "stone", 0.65, -0.21),
                Block("square_hole", "stone", -1.47, -0.19852, 0.06414),
            ),
            platforms=(
                Platform(-1.61, -2.841, 0.0, 1.00001, 2.47803),
                Platform(-0.527, -2.819, 334.8416, 3.25774, 1.09148),
                Platform(0.69, -3.26, 0.0, 1.358, 1.0),
                Platform(-0.331, -0.79, 0.0, 4.842, 0.593),
            ),
        ),
        Variation(point(-1.51509, -1.64602), UnderLine(x=(-4.96, 9.397), y=(-1.4, 100.0))),
        in_reach=(block(0),),
    ),
    Template(
        "5.3",
        "A roof covers the pig: push the square before it along the flat into it.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -4.95496, 0.85957, 1.09294),),
            blocks=(
                Block("square_hole", "wood", -5.59846, 1.02442, 0.1793),
                Block("square_hole", "wood", -5.61, 3.03123, 0.31474),
                Block("square_hole", "ice", -4.43, 3.03435, 0.06726),
            ),
            platforms=(
                Platform(-5.034, 0.33227, 0.0, 3.0933, 0.91),
                Platform(-5.047, 2.34, 0.0, 3.13681, 0.91),
            ),
        ),
        Variation(point(-5.59846, 1.02442), UnderLine(x=(-4.96, 9.397), y=(-2.4, 100.0))),
        in_reach=(block(0),),
    ),
    Template(
        "5.4",
        "The pig on the ground is out of reach: push the square before it along the ground into it.",
        Level(
            birds=("red",),
            pigs=(Pig("small", 10.15666, -3.2211, 0.29287),),
            blocks=(Block("square_hole", "wood", 9.45391, -3.05816, 0.04581),),
            platforms=(Platform(8.787, -3.78, 0.0, 5.70293, 1.0),),
        ),
        Variation(pig(0), AlongX((10.397, 13.0)), moves="all in x"),
        in_reach=(point(7.0, -3.4),),
        out_of_reach=(pig(0),),
    ),
    Template(
        "5.5",
        "A roof covers the pig on the ground: push the square before it along the ground into it.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -5.27, -3.26384, 1.05128),),
            blocks=(
                Block("square_hole", "wood", -6.05875, -3.09997, 0.31475),
                Block("square_hole", "stone", -5.8, -1.00877, 0.31472),
                Block("circle_small", "stone", -5.80004, -0.39979, 0.11267),
            ),
            platforms=(Platform(-5.77, -1.7, 0.0, 3.95562, 0.91),),
        ),
        Variation(pig(0), AlongX((-6.96, 9.397)), moves="all in x"),
        in_reach=(block(0),),
    ),
)
