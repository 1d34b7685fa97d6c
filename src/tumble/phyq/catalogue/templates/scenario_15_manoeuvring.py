"""Scenario 15, manoeuvring: the power of the bird has to be used in flight, at the right position."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Destroy, Kill, Rule, Tap
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.variation import InBox, UnderLine, Variation, pig, point

TEMPLATES = (
    Template(
        "15.1",
        """Tap the yellow bird before the block in the tunnel: fast enough, it breaks through and reaches the pig.

        Bodies
            bird: yellow
            pig: small, at the right end of the tunnel
            floor, roof: long platforms, the tunnel, the floor level with the ground
            block: plank of wood, upright in the tunnel
            roof blocks: five rectangles of wood, upright on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from 10.4 to 17
            y: of the pig, from -3.4 to 4

            The whole layout moves with the pig. The pig is out of reach.

        Goal
            The pig dies.

        Solvability
            One tapped shot into the tunnel breaks the plank and reaches the pig.
        """,
        Level(
            birds=("yellow",),
            pigs=(Pig("small", 9.62, -3.26188, 1.08163),),
            blocks=(
                Block("rect_big", "wood", 0.99, -2.54198, 90.0149),
                Block("rect_medium", "wood", -1.93, 0.61045, 90.0),
                Block("rect_small", "wood", 2.65, 0.21698, 89.9651),
                Block("rect_tiny", "wood", 7.98, 0.02372, 89.99981),
                Block("rect_fat", "wood", 5.79, 0.21692, 89.99993),
                Block("rect_big", "wood", -5.84, 0.77812, 89.9987),
            ),
            platforms=(
                Platform(1.477, -0.345, 0.0, 26.42727, 0.516),
                Platform(1.662, -3.67, 0.0, 26.9299, 0.516),
            ),
        ),
        Variation(pig(0), InBox(x=(10.397, 17.0), y=(-3.4, 4.0))),
        rule=Rule((Tap("bird"), Destroy("block 0", by="bird"), Kill("pig 0", by="bird"))),
        out_of_reach=(pig(0),),
    ),
    Template(
        "15.2",
        """Tap the blue bird before the upper pig, so that one of the three birds reaches each pig.

        Bodies
            bird: blue
            upper pig: small, on the upper floor
            lower pig: small, on the lower floor
            upper floor, lower floor: platforms
            wall: tall platform behind them, leaning to the right
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the upper pig, from -2.91 to 9.4
            y: of the upper pig, from -0.06 to 2.8, no higher than within reach

            The whole layout moves with the upper pig. The upper pig is within reach of shots with full stretch.

        Goal
            Both pigs die.

        Solvability
            One tapped shot; the split birds kill both pigs.
        """,
        Level(
            birds=("blue",),
            pigs=(
                Pig("small", 1.90999, -0.05851, 1.15247),
                Pig("small", 0.6, -2.84565, 0.96032),
            ),
            platforms=(
                Platform(2.535, -0.581, 330.9636, 0.758, 10.81374),
                Platform(0.088, -3.34, 0.0, 2.41156, 0.798),
                Platform(1.519, -0.55, 0.0, 3.25802, 0.798),
            ),
        ),
        Variation(point(1.90999, -0.05851), UnderLine(x=(-2.910033, 9.397), y=(-0.05851, 2.8))),
        rule=Rule((Tap("bird"), Kill("pig 0", by="split bird")), (Tap("bird"), Kill("pig 1", by="split bird"))),
        in_reach=(pig(0),),
    ),
    Template(
        "15.3",
        """Tap the white bird above the lower pig: the egg falls to it, the bird rises to the upper pig.

        Bodies
            bird: white
            lower pig: small, in the shaft
            upper pig: small, on the pillar
            shaft, pillar: platforms, the pillar is the right wall of the shaft
            slanting board, right wall, roof: platforms above and right of the upper pig
            circles: of wood, stone and ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the upper pig, from -5.22 to 4.4
            y: of the upper pig, from 0.82 to 4, no higher than within reach

            The whole layout moves with the upper pig. The upper pig is within reach of shots with full stretch.

        Goal
            Both pigs die.

        Solvability
            One tapped shot; the bird kills the upper pig, the egg or its explosion the lower one.
        """,
        Level(
            birds=("white",),
            pigs=(
                Pig("small", 0.21985, 0.82028, 1.51525),
                Pig("small", -0.2795, -2.82917, 1.13766),
            ),
            blocks=(
                Block("circle_small", "wood", 0.94, 3.22117),
                Block("circle", "stone", -0.62, 3.3887),
                Block("circle", "ice", 2.47, 3.3887),
            ),
            platforms=(
                Platform(0.17, -1.523, 0.0, 0.637, 6.08452),
                Platform(-0.271, -3.27, 90.0, 0.637, 2.0084),
                Platform(-0.76, -2.556, 0.0, 0.637, 2.85581),
                Platform(1.472, 0.832, 291.9195, 0.63509, 4.7631),
                Platform(0.188, 0.299, 90.0, 0.88925, 0.67737),
                Platform(2.76, 1.92, 0.0, 0.637, 2.09987),
                Platform(0.924, 2.79, 90.0, 0.637, 6.4155),
            ),
        ),
        Variation(point(0.2198468, 0.8202759), UnderLine(x=(-5.219497, 4.397), y=(0.8202759, 4.0))),
        rule=Rule((Tap("bird"), Kill("pig 0", by="bird")), (Tap("bird"), Kill("pig 1", by=("egg", "explosion")))),
        in_reach=(pig(0),),
    ),
    Template(
        "15.4",
        """Tap the black bird between the two covered pigs, so that the explosion reaches both.

        Bodies
            bird: black
            left pig, right pig: small, each in a closed box
            left box, right box: four platforms each
            circles: two of wood, on the boxes
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the middle between the boxes, from -6.25 to 4.4
            y: of the middle between the boxes, from -2.33 to 4, no higher than within reach

            The whole layout moves with the middle between the boxes. The middle between the boxes is within reach of
            shots with full stretch.

        Goal
            Both pigs die.

        Solvability
            One tapped shot between the boxes; the explosion kills both pigs.
        """,
        Level(
            birds=("black",),
            pigs=(
                Pig("small", -2.51, -2.23837, 1.10856),
                Pig("small", 1.1601, -2.27837, 1.10857),
            ),
            blocks=(
                Block("circle", "wood", 1.25747, -0.52298, 0.11144),
                Block("circle_small", "wood", -2.68001, -0.65239, 0.03446),
            ),
            platforms=(
                Platform(-2.6, -2.717, 0.0, 3.21968, 0.758),
                Platform(-2.57, -1.12, 0.0, 3.21968, 0.758),
                Platform(-3.4, -1.9, 90.0, 3.21968, 0.758),
                Platform(-1.72, -1.921, 90.0, 3.23256, 0.758),
                Platform(1.28, -2.757, 0.0, 3.21968, 0.758),
                Platform(1.31, -1.16, 0.0, 3.21968, 0.758),
                Platform(0.08, -1.953, 90.0, 3.28379, 0.758),
                Platform(2.16, -1.97, 90.0, 3.21968, 0.758),
            ),
        ),
        Variation(point(-0.8199974, -1.90136), UnderLine(x=(-6.249995, 4.397), y=(-2.330358, 4.0))),
        rule=Rule((Tap("bird"), Kill("pig 0", by="explosion")), (Tap("bird"), Kill("pig 1", by="explosion"))),
        in_reach=(point(-0.8199974, -1.90136),),
    ),
    Template(
        "15.5",
        """The pig is out of reach: tap the yellow bird, which then flies further.

        Bodies
            bird: yellow
            pig: small, on the floor
            slope, floor, right wall: platforms, the slope leads down to the floor
            cover: platform above them, slanting down to the right
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from 13.4 to 17
            y: of the pig, from -3.4 to 4

            The whole layout moves with the pig. The pig is out of reach.

        Goal
            The pig dies.

        Solvability
            One tapped shot; the bird flies or rolls down the slope to the pig.
        """,
        Level(
            birds=("yellow",),
            pigs=(Pig("small", 8.76, -0.15, 1.1052),),
            platforms=(
                Platform(8.86, -0.52, 0.0, 1.0, 0.435),
                Platform(7.229, -0.01, 338.8868, 4.56667, 0.435),
                Platform(9.32, -0.187, 90.0, 1.539, 0.435),
                Platform(7.91, 1.66, 315.3358, 6.25178, 0.435),
            ),
        ),
        Variation(pig(0), InBox(x=(13.397, 17.0), y=(-3.4, 4.0))),
        rule=Rule((Tap("bird"), Kill("pig 0", by="bird"))),
        out_of_reach=(pig(0),),
    ),
    Template(
        "15.6",
        """Tap the blue bird above the middle wall, so that birds fall into both baskets.

        Bodies
            bird: blue
            left pig, right pig: small, each in a basket
            floor, left wall, middle wall, right wall: platforms, the two baskets
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point above the middle wall, from -2.91 to 4.4
            y: of a point above the middle wall, from 2.33 to 4, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            Both pigs die.

        Solvability
            One tapped shot; the split birds kill both pigs.
        """,
        Level(
            birds=("blue",),
            pigs=(
                Pig("small", 0.15998, -2.59022, 1.07891),
                Pig("small", 1.67999, -2.59026, 1.10085),
            ),
            platforms=(
                Platform(0.94, -3.0817, 0.0, 4.02377, 0.798),
                Platform(0.958, -0.874, 0.0, 0.55301, 7.05773),
                Platform(3.13, -1.32, 330.7773, 0.54272, 6.74899),
                Platform(-1.25, -1.35, 29.223, 0.54272, 6.74899),
            ),
        ),
        Variation(point(0.97, 2.33), UnderLine(x=(-2.910033, 4.397), y=(2.33, 4.0))),
        rule=Rule((Tap("bird"), Kill("pig 0", by="split bird")), (Tap("bird"), Kill("pig 1", by="split bird"))),
        in_reach=(point(0.97, 2.33),),
    ),
    Template(
        "15.7",
        """Tap the white bird above the shaft, so that the egg falls onto the pig.

        Bodies
            bird: white
            pig: small, in the shaft
            floor, left wall, right wall: platforms, the shaft
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point above the shaft, from -8.88 to 4.4
            y: of a point above the shaft, from -1.43 to 4, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            One tapped shot; the egg or its explosion kills the pig.
        """,
        Level(
            birds=("white",),
            pigs=(Pig("small", -0.30637, -2.82924, 1.49869),),
            platforms=(
                Platform(0.17, -2.556, 0.0, 0.637, 2.85581),
                Platform(-0.271, -3.27, 90.0, 0.637, 2.0084),
                Platform(-0.76, -2.556, 0.0, 0.637, 2.85581),
            ),
        ),
        Variation(point(-0.32, -1.43), UnderLine(x=(-8.876295, 4.397), y=(-1.43, 4.0))),
        rule=Rule((Tap("bird"), Kill("pig 0", by=("egg", "explosion")))),
        in_reach=(point(-0.32, -1.43),),
    ),
    Template(
        "15.8",
        """The pig is walled in: tap the black bird near it.

        Bodies
            bird: black
            pig: small, in the middle of the box
            floor, roof, left wall, right wall: platforms, the closed box
            roof blocks: three of different shapes, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -5.37 to 9.4
            y: of the pig, from -1.42 to 2.8, no higher than within reach

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            One tapped shot; the explosion kills the pig through the wall.
        """,
        Level(
            birds=("black",),
            pigs=(Pig("small", 3.35, 0.12863, 1.10854),),
            blocks=(
                Block("rect_big", "stone", 1.59, 3.16956, 1e-05),
                Block("rect_fat", "wood", 5.52, 3.26616, 2e-05),
                Block("square_tiny", "stone", 3.14, 3.17117),
            ),
            platforms=(
                Platform(3.355, -0.35, 0.0, 12.13749, 0.758),
                Platform(3.339, 2.82, 0.0, 12.11129, 0.758),
                Platform(-0.33, 1.22, 90.0, 5.63028, 0.758),
                Platform(7.0, 1.21, 90.0, 5.63028, 0.758),
            ),
        ),
        Variation(point(3.35, 0.1286316), UnderLine(x=(-5.369997, 9.397), y=(-1.421352, 2.8))),
        rule=Rule((Tap("bird"), Kill("pig 0", by="explosion"))),
        in_reach=(pig(0),),
    ),
)
