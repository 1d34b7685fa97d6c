"""Scenario 8, relative height: of blocks with different heights, the right one has to be moved."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Topple, Touch
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import Offset, UnderLine, Variation, block, pig, platform

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
            x: of the upper square, from -8 to 9.4
            y: of the upper square, from 4.25 to 6, no higher than within reach
            roof: moves further, with its triangles, in x by -0.6 to 0.8 and in y by -0.2 to 0.3

            The whole layout moves with the upper square. The upper square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird flies in under the roof, often touching it, and topples the tall block, so that its square falls
            onto the pig. Direct shots at the pig do not win.
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
        Variation(
            block(3),
            UnderLine(x=(-8.0, 9.397), y=(4.2458, 6.0)),
            offsets=(Offset((platform(4), block(4), block(5), block(6)), x=(-0.6, 0.8), y=(-0.2, 0.3)),),
        ),
        in_reach=(block(3),),
        variation_change="Published: the layout moves in x only. Ours: also up, and the roof moves further on its own,"
        " because at one height a few angles win most tasks.",
        rule=Rule((Touch("bird", ("block 0", "block 3")), Topple("block 0"), Kill("pig 0", by="block 3"))),
    ),
    Template(
        "8.2",
        """Pigs stand on blocks of different height: let the bird bounce back to the tallest, which topples the others.

        Bodies
            bird: red
            left pig, middle pig, right pig: small, each on a block
            short block, medium block, tall block: upright rectangles of wood, from left to right
            base: platform
            left wall, right wall: tall platforms that lean to the left
            lid: platform above the left pig and the middle pig
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the right wall, from -0.5 to 7.5
            y: of the right wall, from -0.98 to 4, no higher than within reach
            right wall: moves further in x by -0.3 to 2

            The whole layout moves with the right wall. The right wall is within reach of shots with full stretch.

        Goal
            All three pigs die.

        Solvability
            The bird flies over the left wall and the lid, bounces off the right wall, and topples the tall block or
            pushes the pig on it; that block topples the medium one, and pigs and blocks fall onto each other. Direct
            shots at the pigs do not win.
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
        Variation(
            platform(0),
            UnderLine(x=(-0.5, 7.5), y=(-0.97782, 4.0)),
            offsets=(Offset((platform(0),), x=(-0.3, 2.0)),),
        ),
        in_reach=(platform(0),),
        changes=(
            Change(
                "The left wall is taller and a lid covers the left and the middle pig, since shots straight at the"
                " pigs won.",
                platforms={1: Platform(-6.15897, -2.1, 275.8929, 5.0, 0.608)},
                added=(Platform(-4.4, -0.5, 0.0, 4.375, 0.4688),),
            ),
        ),
        variation_change="Published: right wall at x -2 to 2.6 and y up to 1.3, all pieces move together. Ours: x"
        " -0.5 to 7.5 and y up to 4, and the right wall moves further on its own, because otherwise one angle wins most"
        " tasks.",
        rule=Rule(
            (Touch("bird", "platform 0"), Touch("bird", ("block 0", "pig 0")), Topple("block 0"), Topple("block 2")),
            (Topple("block 2"), Kill("pig 1", by=("block", "pig"))),
            (Kill("pig 0", by=("bird", "block", "pig")),),
            (Kill("pig 2", by=("block", "pig")),),
        ),
        fixed_angle_cap=0.35,
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
            awning: platform at the left end of the shelf
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the tall block, from -3 to 9.4
            y: of the tall block, from -2.53 to 4.5, no higher than within reach
            awning: moves further in x by -2.6 to 0.8

            The whole layout moves with the tall block. The tall block is within reach of shots with full stretch, and
            the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The bird hits the tall block, which falls against the right block and topples it onto the pig. Direct shots
            at the pig do not win. Some shots at the left block win too; they are solutions only if the bird also hits
            the tall block.
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
        Variation(
            block(0),
            UnderLine(x=(-3.0, 9.397), y=(-2.53, 4.5)),
            offsets=(Offset((platform(2),), x=(-2.6, 0.8)),),
        ),
        in_reach=(block(0),),
        out_of_reach=(pig(0),),
        changes=(
            Change(
                "An awning left of the shelf, which covers the tall block more or less, so that no angle serves all"
                " tasks.",
                added=(Platform(9.0, -0.775, 0.0, 6.25, 0.5469),),
            ),
        ),
        variation_change="Published: tall block on the line of the highest points within reach, x -6.51 to 9.46. Ours:"
        " under that line from x -3 on, and the awning moves further on its own, because on the line nearly all tasks"
        " that can be won are won by the angle of the longest flight.",
        rule=Rule((Touch("bird", "block 0"), Topple("block 0"), Topple("block 1"), Kill("pig 0", by="block 1"))),
        fixed_angle_cap=0.35,
    ),
    Template(
        "8.4",
        """Squares stand on a tall and on a short block: hit the lower one; it or its block falls through the gap.

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
            The bird hits the lower square, and the short block below it, or the square, falls through the gap between
            the shelves onto the pig. Direct shots at the pig do not win. Rarely another piece kills the pig; such shots
            are not accepted as solutions.
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
        rule=Rule((Touch("bird", "block 2"), Kill("pig 0", by=("block 1", "block 2")))),
    ),
)
