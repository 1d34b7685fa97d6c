"""Scenario 4, falling: a block has to fall onto the pig."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import InBox, UnderLine, Variation, block, pig, point

TEMPLATES = (
    Template(
        "4.1",
        "Of several blocks on floors one above the other only the square on the lowest floor falls onto the pig.",
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.06959, -3.25011, 1.1318),),
            blocks=(
                Block("square_hole", "stone", 2.04, -0.79106, 0.15232),
                Block("square_hole", "stone", 3.6524, 3.94593, 0.62779),
                Block("circle", "wood", 2.23, 3.93812),
            ),
            platforms=(
                Platform(2.07, -2.65, 0.0, 1.0, 2.792),
                Platform(1.487, -1.51, 0.0, 2.792, 1.0),
                Platform(2.41, 0.26, 0.0, 3.15, 0.73059),
                Platform(2.41, 1.76, 0.0, 3.15, 0.73059),
                Platform(2.942, 3.31, 0.0, 4.99766, 0.73059),
                Platform(4.31, -0.181, 90.0, 10.40514, 0.73059),
                Platform(3.162, -3.72, 0.0, 4.3722, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0),),
    ),
    Template(
        "4.2",
        "Of several blocks on floors one above the other only the stone circle on the upper floor falls onto the pig.",
        Level(
            birds=("red",),
            pigs=(Pig("small", 4.08979, -3.24924, 1.67654),),
            blocks=(
                Block("circle", "stone", 3.09001, 2.38392, 0.04204),
                Block("square_hole", "wood", 3.02, 3.87641, 0.3147),
                Block("rect_fat", "ice", 4.36, 3.67739, 2e-05),
            ),
            platforms=(
                Platform(2.05, -2.65, 0.0, 1.0, 2.792),
                Platform(1.487, -1.51, 0.0, 2.792, 1.0),
                Platform(2.68322, 0.216, 0.0, 2.39085, 0.73059),
                Platform(3.463, 3.24, 0.0, 4.8341, 0.73059),
                Platform(2.68, 1.76, 0.0, 2.39085, 0.73059),
                Platform(4.77, 2.401, 90.0, 2.63868, 0.73059),
                Platform(3.367, -3.72, 0.0, 5.2305, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0),),
    ),
    Template(
        "4.3",
        "Two circles lie on a platform between two pigs: one shot has to make each fall onto a pig.",
        Level(
            birds=("red",),
            pigs=(
                Pig("small", 4.10055, -3.21978, 0.86729),
                Pig("small", 2.37017, -3.21944, 0.63569),
            ),
            blocks=(
                Block("circle", "stone", 3.498, -1.33388, 359.8443),
                Block("circle", "stone", 2.61399, -1.33618, 0.24814),
            ),
            platforms=(
                Platform(1.35, -2.59, 0.0, 1.0, 2.74379),
                Platform(3.0651, -1.96, 0.0, 1.4292, 0.73059),
                Platform(3.019, -3.69, 0.0, 6.23846, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0), block(1)),
    ),
    Template(
        "4.4",
        "The pig stands in a pit: push the circle on the pit's edge in; those on the roof don't fall in.",
        Level(
            birds=("red",),
            pigs=(Pig("small", -4.16029, -3.25005, 1.04858),),
            blocks=(
                Block("circle", "stone", -5.31003, -0.78992, 0.02643),
                Block("circle", "stone", -3.71001, 0.70413, 0.11035),
                Block("circle", "stone", -4.8, 0.70388, 0.03382),
            ),
            platforms=(
                Platform(-5.16, -2.64, 0.0, 1.0, 2.792),
                Platform(-5.743, -1.5, 0.0, 2.792, 1.0),
                Platform(-4.267, -3.72, 0.0, 3.75753, 0.73059),
                Platform(-3.393, -1.755, 0.0, 1.0, 5.484),
                Platform(-4.27, 0.08, 0.0, 3.75753, 0.73059),
            ),
        ),
        Variation(point(-5.31003, -0.7899181), UnderLine(x=(-8.747027, 1.549163), y=(-0.5899642, 1.23003))),
        in_reach=(block(0),),
    ),
    Template(
        "4.5",
        "The pig stands in a pit: push the square on the pit's edge in; the blocks on the roof don't fall in.",
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.07367, -3.24984, 0.90737),),
            blocks=(
                Block("square_hole", "stone", 1.974, -0.79412, 90.19756),
                Block("circle", "wood", 3.61, 0.83812, 0.13074),
                Block("rect_fat", "ice", 2.53007, 0.64881, 359.9862),
            ),
            platforms=(
                Platform(2.054, -2.656, 0.0, 1.0, 2.792),
                Platform(1.491, -1.516, 0.0, 2.792, 1.0),
                Platform(2.98, 0.21, 0.0, 3.58155, 0.73059),
                Platform(3.814, -1.762, 0.0, 1.0, 5.52),
                Platform(2.947, -3.72, 0.0, 3.81077, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0),),
    ),
)
