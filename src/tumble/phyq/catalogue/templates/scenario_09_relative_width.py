"""Scenario 9, relative width: only a narrow enough block, or a wide enough opening, leads to the pig."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Touch
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.variation import UnderLine, Variation, block, point

TEMPLATES = (
    Template(
        "9.1",
        """Two circles lie above a shaft: push the small one, which falls through it onto the pig.

        Bodies
            bird: red
            pig: small, at the bottom of the shaft
            shaft: platforms, two walls and a floor, with a funnel above
            small circle: stone, on the lower shelf
            large circle: stone, on the upper shelf
            lower shelf, upper shelf, left wall, right wall, roof: platforms
            roof circles: five of different sizes and materials, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the small circle, from -9.85 to 9.4
            y: of the small circle, from 3.32 to 4, no higher than within reach

            The whole layout moves with the small circle. The small circle is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird hits the small circle from the left, between the shelves; it rolls off the lower shelf into the
            funnel and through the shaft onto the pig. The large circle is too wide for the shaft, and shots at the pig
            end at the walls or the roof.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -1.87998, -2.66454, 1.10393),),
            blocks=(
                Block("circle", "stone", -6.22, 3.32117, 0.00745),
                Block("circle_small", "stone", -6.21018, 2.18042, 0.30152),
                Block("circle", "wood", -3.01, 4.7987, 0.13148),
                Block("circle", "stone", -5.98, 4.80219),
                Block("circle", "ice", -0.12, 4.7987),
                Block("circle_small", "ice", -1.6, 4.63236, 0.00039),
                Block("circle_small", "stone", -4.64, 4.63238, 0.01057),
            ),
            platforms=(
                Platform(-2.38, -1.99, 0.0, 0.56344, 3.44534),
                Platform(-1.893, -3.22062, 0.0, 2.1238, 1.0),
                Platform(-5.12, 1.79685, 0.0, 3.6554, 0.4942),
                Platform(-1.4, -2.16, 0.0, 0.56344, 4.13127),
                Platform(-0.625, -0.3, 307.1678, 0.46112, 3.40871),
                Platform(-3.199, -0.325, 52.97126, 0.47864, 3.62005),
                Platform(-5.13, 2.77117, 0.0, 3.6554, 0.4942),
                Platform(-2.894, 4.24, 0.0, 10.90987, 0.523),
                Platform(0.381, 2.282, 0.0, 0.715, 6.369),
                Platform(-4.17, 1.062, 0.0, 0.669, 2.70995),
            ),
        ),
        Variation(point(-6.21018, 2.18042), UnderLine(x=(-9.850999, 9.397), y=(3.319321, 4.0))),
        in_reach=(block(1),),
        rule=Rule((Touch("bird", "block 1"), Kill("pig 0", by="block 1"))),
    ),
    Template(
        "9.2",
        """A box has two openings: shoot on the low trajectory into the lower one, which the bird fits through.

        Bodies
            bird: red
            pig: small, on the floor
            floor, right wall, roof: platforms, the box, which is open to the left
            divider: platform between the two openings
            lip: platform that narrows the upper opening
            threshold: platform left of the floor
            roof blocks: a triangle and circles, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point of the right wall, from -5 to 9.4
            y: of a point of the right wall, from -0.36 to 2.8, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird flies into the lower opening, usually along the divider or the threshold, and falls or bounces off
            the right wall onto the pig. It does not fit through the upper opening, and draws in which a shot straight
            at the pig wins are rejected.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -1.75, 0.4987, 1.10252),),
            blocks=(
                Block("triangle_hole", "wood", -3.19, 4.01117, 0.15592),
                Block("circle_small", "wood", -0.91, 3.84524, 0.17856),
                Block("circle_small", "wood", -5.71997, 3.83511, 0.04879),
                Block("circle", "stone", -4.51999, 4.00005, 0.01493),
                Block("circle", "stone", -1.93997, 4.00064, 0.20338),
            ),
            platforms=(
                Platform(-3.51, 3.29, 0.0, 7.90402, 1.0),
                Platform(-0.82, 1.625, 0.0, 1.0, 6.22935),
                Platform(-3.98, 2.06, 0.0, 4.63718, 1.0),
                Platform(-3.6242, 0.388, 0.0, 3.57592, 2.411),
                Platform(-1.787, -0.06, 0.0, 2.5285, 1.0),
                Platform(-3.1, 2.92, 0.0, 1.92208, 1.0),
            ),
        ),
        Variation(point(-0.831, 2.684), UnderLine(x=(-5.0, 9.397), y=(-0.363, 2.8))),
        in_reach=(point(-0.831, 2.684),),
        rule=Rule(
            (Touch("bird", ("platform 2", "platform 3")), Kill("pig 0", by="bird")),
            never=(Touch("bird", "platform 5"),),
        ),
    ),
    Template(
        "9.3",
        """A box has two openings in its top: shoot on the high trajectory into the wider one.

        Bodies
            bird: red
            pig: small, on the floor
            floor, left wall, right wall: platforms, the box
            plug: platform between the walls, nearer to the left one
            left slope, right slope: platforms in the corners of the box
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point above the right opening, from -6.96 to 9.4
            y: of a point above the right opening, from 0.95 to 4, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird comes down steeply into the right opening, along the plug or the right wall, and the right slope
            leads it to the pig. It does not fit through the left opening, and draws in which a shot straight at the pig
            wins are rejected.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -5.57, -2.66188, 1.119),),
            platforms=(
                Platform(-6.48935, -2.00062, 0.0, 0.56344, 3.44534),
                Platform(-5.65935, -1.426, 0.0, 1.50317, 1.66652),
                Platform(-4.51, -2.206, 0.0, 0.56344, 4.13127),
                Platform(-6.15135, -2.77662, 135.04, 1.6873, 0.6857),
                Platform(-4.89795, -2.863, 45.53616, 1.89821, 0.6857),
                Platform(-5.52175, -3.22062, 0.0, 3.61422, 1.0),
            ),
        ),
        Variation(point(-4.89, 0.95), UnderLine(x=(-6.96, 9.397), y=(0.95, 4.0))),
        in_reach=(point(-4.89, 0.95),),
        rule=Rule((Touch("bird", ("platform 2", "platform 4")), Kill("pig 0", by="bird"))),
    ),
    Template(
        "9.4",
        """A box has two openings: shoot on the low trajectory into the upper one, which the bird fits through.

        Bodies
            bird: red
            pig: small, on the floor
            floor, right wall, roof: platforms, the box, which is open to the left
            divider: platform between the two openings
            threshold: platform that narrows the lower opening
            roof blocks: a circle, a triangle and a square, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point of the right wall, from -5 to 9.4
            y: of a point of the right wall, from -0.97 to 2.8, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird flies into the upper opening, along the roof or the divider, bounces off the right wall and falls
            onto the pig. It does not fit through the lower opening, and draws in which a shot straight at the pig wins
            are rejected.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -1.83993, 1.03618, 1.19264),),
            blocks=(
                Block("circle_small", "stone", -5.62, 3.83867, 0.11577),
                Block("square_hole", "ice", -1.26001, 4.01003, 0.31475),
                Block("triangle_hole", "wood", -3.42035, 4.00779, 0.16431),
            ),
            platforms=(
                Platform(-3.384, 3.29, 0.0, 8.30254, 1.0),
                Platform(-1.07, 2.106, 0.0, 1.0, 4.605),
                Platform(-3.98, 2.06, 0.0, 4.63718, 1.0),
                Platform(-3.6242, 1.108, 0.0, 3.57592, 1.0),
                Platform(-2.762, 0.48, 0.0, 6.28848, 1.0),
            ),
        ),
        Variation(point(-0.986, 2.635), UnderLine(x=(-5.0, 9.397), y=(-0.97, 2.8))),
        in_reach=(point(-0.986, 2.635),),
        rule=Rule((Touch("bird", ("platform 0", "platform 2")), Kill("pig 0", by="bird"))),
    ),
)
