"""Scenario 8, relative height: of blocks with different heights, the right one has to be moved."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import LeftOfLine, OnLine, UnderLine, Variation, block, pig, platform

TEMPLATES = (
    Template(
        "8.1",
        """Squares stand on a tall and on a short block: topple the tall one, which throws its square far enough.

        Bodies
            bird: red
            pig: small, on the base
            tall block, upper square: stone, on the upper shelf
            short block, lower square: stone, on the lower shelf
            base, post, lower shelf, upper shelf: platforms, the shelves one above the other left of the pig
            roof: platform above all of them
            triangles: of stone, wood and ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the upper square, from -8 to 9.4, no further than within reach

            The whole layout moves with the upper square. The upper square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 53.2 to 74.2 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the upper square (56 of 100) or the roof (44). The pig is killed by the
            upper square (98 of 100) or the bird (2). Direct shots at the pig do not win. Random shots win with a chance
            of 3.4e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.15015, -3.26389, 1.08456),),
            blocks=(
                Block("rect_big", "stone", -0.71983, 2.9041, 89.98951),
                Block("rect_tiny", "stone", -0.71846, 0.2905, 89.75407),
                Block("square_hole", "stone", -0.65396, 0.877, 359.6233),
                Block("square_hole", "stone", -0.69584, 4.24579, 0.11105),
                Block("triangle_hole", "stone", -2.64029, 6.39091, 0.1643),
                Block("triangle_hole", "wood", 0.32998, 6.39091, 0.1643),
                Block("triangle_hole", "ice", -1.08008, 6.39084, 0.16504),
            ),
            platforms=(
                Platform(-0.61984, -0.12589, 0.0, 5.25198, 0.666),
                Platform(-0.62984, 1.73296, 0.0, 5.25198, 0.666),
                Platform(-2.09884, -1.78489, 0.0, 0.58425, 5.76081),
                Platform(0.84816, -3.72978, 0.0, 9.86847, 0.666),
                Platform(-1.156, 5.78, 0.0, 6.92736, 0.666),
            ),
        ),
        Variation(block(3), LeftOfLine(x=(-8.0, 9.397), height=4.27), moves="all in x"),
        in_reach=(block(3),),
    ),
    Template(
        "8.2",
        """Pigs stand on blocks of different height: let the bird bounce back to the tallest, which topples the others.

        Bodies
            bird: red
            left pig, middle pig, right pig: small, each on a block
            short block, medium block, tall block: upright rectangles of wood, from left to right
            base: platform
            left wall, right wall: platforms that lean to the left, the right one tall
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the right wall, from -2 to 2.6
            y: of the right wall, from -0.98 to 1.3, no higher than within reach

            The whole layout moves with the right wall. The right wall is within reach of shots with full stretch.

        Goal
            All three pigs die.

        Solvability
            The stored solutions have one shot at 24.5 to 50.3 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the right wall. The right pig is killed by the tall block (53 of 100), the
            bird (33), the medium block (7) or hitting the base (7). The left pig is killed by the medium block (71 of
            100) or the middle pig (29). The middle pig is killed by the left pig (61 of 100), hitting the left wall
            (35) or the medium block (4). Direct shots at the pigs do not win. Random shots win with a chance of 1.2e-1.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -2.18685, -1.33111, 1.21786),
                Pig("small", -5.45004, -2.84014, 0.76217),
                Pig("small", -3.98041, -1.67162, 1.12966),
            ),
            blocks=(
                Block("rect_big", "wood", -2.17533, -2.51016, 90.10911),
                Block("rect_tiny", "wood", -5.49724, -3.26479, 89.94224),
                Block("rect_medium", "wood", -3.98088, -2.68049, 90.02103),
            ),
            platforms=(
                Platform(0.93703, -0.97782, 275.8929, 8.55075, 0.608),
                Platform(-6.18897, -2.81683, 275.8929, 2.72167, 0.608),
                Platform(-2.42944, -3.66288, 0.0, 12.153, 0.608),
            ),
        ),
        Variation(platform(0), UnderLine(x=(-2.0, 2.6), y=(-0.97782, 1.3))),
        in_reach=(platform(0),),
    ),
    Template(
        "8.3",
        """Upright blocks of different height stand in a row: hit the tallest, which topples the next one onto the pig.

        Bodies
            bird: red
            pig: small, at the right end of the floor
            left block, tall block, right block: upright rectangles of stone, from left to right
            floor: platform
            shelf: platform above the pig
            shelf blocks: three upright rectangles of stone, on the shelf
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the tall block, from -6.51 to 9.46
            y: of the tall block, the highest that is within reach at x

            The whole layout moves with the tall block. The tall block is within reach of shots with full stretch, and
            the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 41.6 to 75.0 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the tall block (92 of 100), the floor (6) or the left block (2). The pig is
            killed by the right block. Direct shots at the pig do not win. Random shots win with a chance of 9.9e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 12.53007, -3.25712, 0.89121),),
            blocks=(
                Block("rect_big", "stone", 9.01, -2.53337, 89.73725),
                Block("rect_medium", "stone", 10.83, -2.70358, 89.74489),
                Block("rect_medium", "stone", 6.1, -2.70358, 89.745),
                Block("rect_medium", "stone", 10.89, 0.2243, 89.98103),
                Block("rect_tiny", "stone", 12.67, -0.35565, 90.0),
                Block("rect_small", "stone", 11.94, -0.16672, 89.99651),
            ),
            platforms=(
                Platform(9.231, -3.73, 0.0, 12.93194, 0.739),
                Platform(11.085, -0.8, 0.0, 7.13843, 0.739),
            ),
        ),
        Variation(block(0), OnLine()),
        in_reach=(block(0),),
        out_of_reach=(pig(0),),
    ),
    Template(
        "8.4",
        """Squares stand on a tall and on a short block: hit the one on the short block, which falls through the gap.

        Bodies
            bird: red
            pig: small, on the base
            short block, lower square: stone, on the lower shelf
            tall block, upper square: stone, on the upper shelf
            base, post, lower shelf, upper shelf: platforms, the shelves one above the other
            right shelves: two platforms right of them, across a gap
            planks: two of wood, upright on the right shelves
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the lower square, from -6 to 9.4
            y: of the lower square, from 0.93 to 4, no higher than within reach

            The whole layout moves with the lower square. The lower square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 31.9 to 58.0 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the lower square (92 of 100), the lower shelf (5) or the upper shelf (3).
            The pig is killed by the lower square (68 of 100) or the short block (32). Direct shots at the pig do not
            win. Random shots win with a chance of 4.2e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 0.207, -3.25969, 1.0857),),
            blocks=(
                Block("rect_big", "stone", -0.72299, 2.95999, 89.98951),
                Block("rect_tiny", "stone", -0.72167, 0.3459, 89.73299),
                Block("square_hole", "stone", -0.65708, 0.93196, 359.6282),
                Block("square_hole", "stone", -0.699, 4.30168, 0.11106),
                Block("rect_small", "wood", 2.736, 0.49992, 89.99847),
                Block("rect_small", "wood", 2.719, 2.45435, 90.0),
            ),
            platforms=(
                Platform(-1.33, -0.07, 0.0, 3.0409, 0.666),
                Platform(-1.34, 1.78885, 0.0, 3.0409, 0.666),
                Platform(-2.102, -1.729, 0.0, 0.58425, 5.76081),
                Platform(1.977, 1.84, 0.0, 3.0409, 0.666),
                Platform(1.967, -0.11, 0.0, 3.0409, 0.666),
                Platform(0.322, -3.71, 0.0, 8.18114, 0.666),
            ),
        ),
        Variation(block(2), UnderLine(x=(-6.0, 9.397), y=(0.9341, 4.0))),
        in_reach=(block(2),),
    ),
)
