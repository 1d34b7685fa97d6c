"""Scenario 12, structural analysis: the shot has to hit the point that keeps a structure standing."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Touch
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import UnderLine, Variation, block, pig, point

STRUCTURE = ("block", "pig", "fall")
"""What kills when a structure comes down; not the bird."""
AMID_THE_STRUCTURE = "The pigs are amid the structure, so that a shot at a pig hits what carries it."


def blocks(*numbers: int) -> tuple[str, ...]:
    """The names of some blocks."""
    return tuple(f"block {number}" for number in numbers)


def crushed(*pigs: int) -> tuple[Kill, ...]:
    """The deaths of some pigs by the structure."""
    return tuple(Kill(f"pig {pig}", by=STRUCTURE) for pig in pigs)


def brought_down(weak: tuple[str, ...], *deaths: Kill) -> Rule:
    """The rule that a bird touches one of the weak blocks before every death."""
    return Rule(*((Touch("bird", weak), death) for death in deaths))


TEMPLATES = (
    Template(
        "12.1",
        """Three pigs are in a structure of stone, wood and ice: hit where it is weak, so that all of it comes down.

        Bodies
            bird: red
            lower pig, middle pig, upper pig: small, on three storeys
            structure: 30 blocks of stone, wood and ice; two rows of thin ice blocks carry the storeys above the first
            floor: platform
            ramps: two platforms at the ends of the floor
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the upper pig, from -4.35 to 4
            y: of the upper pig, from 0.3 to 1.57, no higher than within reach

            The whole layout moves with the upper pig. The upper pig is within reach of shots with full stretch.

        Goal
            All three pigs die.

        Solvability
            One shot into the ice brings the structure down; blocks or the fall kill the two upper pigs.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -3.93035, -1.86308, 1.02802),
                Pig("small", -3.77022, -0.48452, 0.92173),
                Pig("small", -3.39946, 0.29537, 1.09506),
            ),
            blocks=(
                Block("rect_fat", "stone", -5.90103, -2.67745, 358.6494),
                Block("rect_big", "stone", -4.90962, -2.38687, 359.7607),
                Block("rect_fat", "stone", -3.89368, -2.68641, -4e-05),
                Block("rect_tiny", "stone", -6.22897, -2.2752, 89.67002),
                Block("rect_big", "stone", -2.86516, -2.39081, 0.00011),
                Block("rect_fat", "stone", -1.84355, -2.6864, 0.00015),
                Block("rect_tiny", "stone", -1.53902, -2.29296, 89.99245),
                Block("rect_fat", "stone", -4.896, -2.09133, 359.7605),
                Block("rect_small", "wood", -3.84229, -2.19127, 359.9194),
                Block("rect_small", "wood", -3.31519, -1.90078, 90.20285),
                Block("rect_fat", "stone", -2.77999, -2.09514, 0.01054),
                Block("rect_tiny", "ice", -5.18319, -1.69402, 90.05951),
                Block("rect_tiny", "ice", -4.97354, -1.69855, 89.60435),
                Block("rect_tiny", "ice", -4.57422, -1.69969, 89.20596),
                Block("rect_tiny", "ice", -4.77451, -1.69937, 89.59502),
                Block("rect_tiny", "ice", -3.06889, -1.70226, 90.0714),
                Block("rect_tiny", "ice", -2.85897, -1.70292, 90.0035),
                Block("rect_tiny", "ice", -2.46086, -1.70281, 90.0107),
                Block("rect_tiny", "ice", -2.65994, -1.7029, 90.0127),
                Block("rect_fat", "stone", -4.8478, -1.30347, 359.1758),
                Block("rect_fat", "stone", -2.80997, -1.30974, 0.07142),
                Block("rect_big", "ice", -3.8837, -1.01123, 359.8132),
                Block("square_tiny", "stone", -5.16011, -1.00154, 359.3896),
                Block("square_tiny", "stone", -2.52014, -1.01197, 359.9789),
                Block("rect_fat", "ice", -4.6704, -0.51978, 89.80994),
                Block("rect_fat", "ice", -3.06724, -0.52329, 89.70957),
                Block("rect_small", "wood", -3.86009, -0.8123, 359.8132),
                Block("rect_big", "stone", -3.87538, -0.03113, 359.7776),
                Block("rect_tiny", "stone", -4.6997, 0.2678, 89.81064),
                Block("rect_tiny", "stone", -2.96968, 0.26235, 89.77679),
            ),
            platforms=(
                Platform(-3.7323, -3.21, 0.0, 7.24285, 1.0),
                Platform(-6.4, -3.487, 32.0148, 1.99, 1.0),
                Platform(-1.073, -3.497, 327.985, 1.99, 1.0),
            ),
        ),
        Variation(point(-3.399167, 0.2950496), UnderLine(x=(-4.354696, 4.0), y=(0.2950496, 1.565926))),
        variation_change="Published: x up to 1.56, where the same few angles win most tasks.",
        fixed_angle_cap=0.35,
        rule=brought_down(blocks(*range(11, 22), 24, 25), Kill("pig 0"), *crushed(1, 2)),
        direct_shots_may_win=AMID_THE_STRUCTURE,
        in_reach=(pig(2),),
        changes=(
            Change(
                "Hardly a shot brought it all down: the two blocks under the roof of ice are of ice, not of stone.",
                blocks={
                    19: Block("rect_fat", "ice", -4.8478, -1.30347, 359.1758),
                    20: Block("rect_fat", "ice", -2.80997, -1.30974, 0.07142),
                },
            ),
        ),
    ),
    Template(
        "12.2",
        """Two pigs are in a wooden hall: hit where it is weak, so that all of it comes down.

        Bodies
            bird: red
            left pig, right pig: small, each in a room
            hall: 26 blocks of wood, two rooms on legs
            floor: platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the right pig, from -4.35 to 4
            y: of the right pig, from -1.35 to 0.4, no higher than within reach

            The whole layout moves with the right pig. The right pig is within reach of shots with full stretch.

        Goal
            Both pigs die.

        Solvability
            One shot at the left wall or the roof above it brings the hall down; its blocks kill the right pig.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -4.21996, -1.35571, 1.27715),
                Pig("small", -2.17018, -1.35108, 0.84451),
            ),
            blocks=(
                Block("rect_fat", "wood", -4.69001, -2.56348, 89.99695),
                Block("rect_fat", "wood", -4.26986, -2.56342, 90.02916),
                Block("rect_fat", "wood", -4.49952, -1.97859, 0.05605),
                Block("rect_fat", "wood", -3.22792, -2.56378, 90.05464),
                Block("rect_fat", "wood", -2.07395, -2.5632, 90.0),
                Block("rect_fat", "wood", -1.59013, -2.56319, 89.99781),
                Block("rect_fat", "wood", -1.81975, -1.97779, 0.00043),
                Block("rect_medium", "wood", -3.15978, -2.07563, 0.16407),
                Block("rect_medium", "wood", -3.17977, -1.87881, 0.17785),
                Block("rect_medium", "wood", -4.03949, -1.68309, 0.17395),
                Block("square_small", "wood", -4.66949, -1.39064, 0.20859),
                Block("square_small", "wood", -4.66756, -0.99906, 0.16739),
                Block("rect_small", "wood", -3.3099, -1.19026, 90.17582),
                Block("rect_medium", "wood", -3.99974, -0.70244, 0.09087),
                Block("rect_medium", "wood", -4.02919, -0.50356, 0.09378),
                Block("rect_medium", "wood", -2.3195, -1.67846, 359.735),
                Block("rect_small", "wood", -2.98705, -1.18677, 89.80511),
                Block("square_small", "wood", -1.67976, -1.38607, 359.8038),
                Block("square_small", "wood", -1.68024, -0.99414, 359.8809),
                Block("rect_medium", "wood", -2.30202, -0.69832, 359.9694),
                Block("rect_medium", "wood", -2.32628, -0.49957, 359.9679),
                Block("square_small", "wood", -4.56011, -0.20885, 0.09553),
                Block("square_small", "wood", -3.81006, -0.2076, 0.09451),
                Block("square_small", "wood", -3.09884, -0.20254, 359.6476),
                Block("square_small", "wood", -1.72077, -0.20435, 359.9667),
                Block("square_small", "wood", -2.38065, -0.20398, 359.969),
            ),
            platforms=(Platform(-3.065, -3.28, 0.0, 6.04608, 1.0),),
        ),
        Variation(point(-2.170179, -1.350999), UnderLine(x=(-4.354696, 4.0), y=(-1.350999, 0.4000222))),
        variation_change="Published: x up to -1.35, where one angle wins almost half of the tasks.",
        rule=brought_down(blocks(*range(10, 15)), Kill("pig 0"), *crushed(1)),
        direct_shots_may_win=AMID_THE_STRUCTURE,
        in_reach=(pig(1),),
    ),
    Template(
        "12.3",
        """Two pigs are in a stone house on wooden legs beside two towers: break the legs.

        Bodies
            bird: red
            left pig, right pig: small, each in a room of the house
            house: walls, floor and roof of stone, and a triangle of wood
            upper legs: two of wood, under the house
            lower legs: four of wood, under a plank of stone
            towers: two stacks of wood and stone, right of the house
            floor: platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the right pig, from -7.04 to 5.5
            y: of the right pig, from -1.06 to 0.55, no higher than within reach

            The whole layout moves with the right pig. The right pig is within reach of shots with full stretch.

        Goal
            Both pigs die.

        Solvability
            One shot at a leg of the house; what then falls kills both pigs.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -3.09646, -0.50437, 1.0964),
                Pig("small", -2.22182, -0.50456, 1.0964),
            ),
            blocks=(
                Block("rect_big", "stone", -2.66887, -0.83253, 359.9879),
                Block("rect_fat", "stone", -3.61529, -0.34353, 89.98788),
                Block("rect_fat", "stone", -1.6726, -0.34395, 89.98774),
                Block("rect_big", "stone", -2.69523, 0.14507, 359.9879),
                Block("rect_big", "stone", -2.66111, 0.34406, 359.9879),
                Block("rect_small", "stone", -2.66515, -0.34374, 89.98787),
                Block("triangle", "wood", -2.65718, 0.45106, 224.9879),
                Block("rect_small", "wood", -3.24737, -1.32142, 89.99142),
                Block("rect_small", "wood", -2.23546, -1.32144, 89.9996),
                Block("rect_big", "stone", -2.80245, -1.81024, -5e-05),
                Block("rect_fat", "wood", -2.52424, -2.29904, 89.99995),
                Block("rect_fat", "wood", -3.53182, -2.29904, 89.99997),
                Block("rect_fat", "wood", -2.98198, -2.29904, 89.99995),
                Block("rect_fat", "wood", -2.02178, -2.29904, 90.00001),
                Block("rect_fat", "stone", -1.05054, -2.49224, 0.00015),
                Block("rect_fat", "wood", -1.06067, -2.10005, 0.00066),
                Block("rect_fat", "wood", -1.03109, -0.53127, 0.00181),
                Block("rect_fat", "wood", -1.0609, -1.31566, 0.00129),
                Block("rect_fat", "stone", -1.08087, -1.70786, 0.00098),
                Block("rect_fat", "stone", -1.04063, -0.92347, 0.00159),
                Block("rect_fat", "stone", -0.23953, -2.11382, 0.20065),
                Block("rect_fat", "wood", -0.16715, -2.49861, 0.12543),
                Block("rect_fat", "wood", -0.21978, -1.72932, 0.15823),
                Block("rect_fat", "wood", -0.18886, -0.95774, 0.13454),
                Block("rect_fat", "stone", -0.18925, -1.34384, 0.14991),
                Block("rect_fat", "stone", -0.17962, -0.57068, 0.19397),
                Block("rect_fat", "wood", -0.22926, -0.18215, 0.15895),
                Block("rect_fat", "stone", -1.02991, -0.13908, 0.002),
                Block("rect_fat", "wood", -1.07119, 0.25312, 0.00204),
                Block("rect_fat", "stone", -0.246, 0.234, 0.25421),
            ),
            platforms=(Platform(-1.702, -2.82, 0.0, 7.33003, 0.388),),
        ),
        Variation(point(-2.221663, -0.5047105), UnderLine(x=(-7.040801, 5.5), y=(-1.064094, 0.5543331))),
        variation_change="Published: x up to -0.73, where one angle wins most tasks.",
        rule=brought_down(blocks(7, 8), *crushed(0, 1)),
        direct_shots_may_win=AMID_THE_STRUCTURE,
        in_reach=(pig(1),),
    ),
    Template(
        "12.4",
        """Three pigs are in a stone cage on legs of ice: break a leg.

        Bodies
            bird: red
            left pig, right pig, upper pig: small, in the cage
            cage: six blocks of stone
            left leg, right leg: upright planks of ice
            floor: platform
            wall: upright platform right of the cage
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the left leg, from -7.66 to 9.4
            y: of the left leg, from -2.42 to 2, no higher than within reach

            The whole layout moves with the left leg. The left leg is within reach of shots with full stretch.

        Goal
            All three pigs die.

        Solvability
            One shot at a leg of ice; what then falls kills the pigs.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -3.06878, -0.77045, 12.66415),
                Pig("small", -2.5172, -0.78098, 1.09969),
                Pig("small", -2.8391, -0.39771, 11.05064),
            ),
            blocks=(
                Block("rect_big", "ice", -3.7091, -2.15922, 89.96645),
                Block("rect_big", "ice", -2.04906, -2.15958, 89.96359),
                Block("rect_big", "stone", -2.84791, -1.10937, 359.9879),
                Block("rect_fat", "stone", -3.67878, -0.62039, 89.98678),
                Block("rect_fat", "stone", -2.01873, -0.62075, 89.98778),
                Block("rect_big", "stone", -2.72813, 0.0672, 359.9878),
                Block("rect_small", "stone", -3.54798, -0.13162, 359.9868),
                Block("rect_small", "stone", -1.98807, -0.13195, 359.9878),
            ),
            platforms=(
                Platform(-1.37, -1.49, 0.0, 0.55, 6.12316),
                Platform(-2.575, -3.294, 90.0, 0.55, 4.24096),
            ),
        ),
        Variation(point(-3.709073, -2.15922), UnderLine(x=(-7.66196, 9.397), y=(-2.417462, 2.0))),
        fixed_angle_cap=0.4,
        rule=brought_down(blocks(0, 1), *crushed(0, 1, 2)),
        direct_shots_may_win=AMID_THE_STRUCTURE,
        in_reach=(block(0),),
        changes=(
            Change(
                "The pigs slid by 0.05 at the start; they lie where they come to rest.",
                pigs={
                    0: Pig("small", -3.03845, -0.77803, 1.2696),
                    1: Pig("small", -2.49417, -0.77011, 355.1673),
                    2: Pig("small", -2.79113, -0.40105, 18.7347),
                },
            ),
        ),
    ),
    Template(
        "12.5",
        """Three pigs are in a tower of ice and wood on stone: hit below the ice that carries them.

        Bodies
            bird: red
            left pig, right pig: small, on the upper storey
            lower pig: small, between the two halves of the lower storey
            stone legs: four, under the lower planks
            lower planks: two of wood
            tower: blocks of ice and wood, two storeys on the lower planks
            floor: platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the published position of the right pig, from -5.38 to 4
            y: of the published position of the right pig, from -0.04 to 0.29, no higher than within reach

            The whole layout moves with the published position of the right pig. The right pig is within reach of shots
            with full stretch.

        Goal
            All three pigs die.

        Solvability
            One shot at the lower blocks on the left; what then falls kills the pigs.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -2.21988, -0.03958, 1.43974),
                Pig("small", -4.82047, -0.0403, 0.64884),
                Pig("small", -3.7, -1.40565, 1.38227),
            ),
            blocks=(
                Block("rect_fat", "stone", -5.11456, -2.22344, 89.99998),
                Block("rect_fat", "stone", -3.89878, -2.22344, 89.99999),
                Block("rect_medium", "wood", -4.45655, -1.73464),
                Block("rect_fat", "ice", -4.14765, -1.24575, 89.97543),
                Block("rect_fat", "ice", -4.74315, -1.43905, -0.00069),
                Block("rect_fat", "ice", -4.9685, -0.85361, 89.98816),
                Block("square_small", "ice", -4.56155, -1.04685, 359.9935),
                Block("rect_fat", "ice", -4.34904, -0.65484, 359.6082),
                Block("rect_tiny", "wood", -5.00085, -0.3648, 359.9879),
                Block("rect_tiny", "wood", -4.53326, -0.35798, 359.6083),
                Block("rect_fat", "stone", -3.33909, -2.22344, 89.99998),
                Block("rect_fat", "stone", -2.12336, -2.22344, 89.99999),
                Block("rect_medium", "wood", -2.73998, -1.73464, -1e-05),
                Block("rect_fat", "ice", -2.98983, -1.24584, 89.99979),
                Block("rect_fat", "ice", -2.36967, -1.43904, -0.00011),
                Block("rect_fat", "ice", -2.12972, -0.85305, 90.06417),
                Block("square_small", "ice", -2.57729, -1.04678, 0.01609),
                Block("rect_fat", "ice", -2.83, -0.65508, 0.39751),
                Block("rect_tiny", "wood", -2.50748, -0.35369, 0.25121),
                Block("rect_tiny", "wood", -2.05989, -0.36417, 0.06498),
                Block("rect_medium", "wood", -3.51178, -0.35866, 0.07566),
                Block("rect_fat", "ice", -3.92948, 0.13062, 90.00576),
                Block("rect_fat", "ice", -3.30939, -0.06264, 0.09819),
                Block("rect_fat", "ice", -3.06919, 0.52353, 89.95897),
                Block("square_small", "ice", -3.51688, 0.32929, 0.12666),
                Block("rect_fat", "ice", -3.76949, 0.72081, 0.22956),
                Block("square_tiny", "ice", -4.04999, 1.01641, 0.00163),
                Block("square_tiny", "ice", -2.96925, 1.01671, 359.9803),
                Block("square_tiny", "ice", -3.45, 1.01769, 0.22955),
            ),
            platforms=(Platform(-3.306, -3.09, 0.0, 7.23275, 1.468),),
        ),
        Variation(point(-2.219439, -0.03752904), UnderLine(x=(-5.379386, 4.0), y=(-0.03752904, 0.29331))),
        variation_change="Published: x up to -0.04, where the same few angles win all tasks.",
        rule=brought_down(blocks(0, 2, 3, 4), *crushed(0, 1, 2)),
        direct_shots_may_win=AMID_THE_STRUCTURE,
        in_reach=(pig(0),),
        changes=(
            Change(
                "The right tower stood when the left one fell: its pig stands on the plank between them, and the ice "
                "on that plank 0.15 further left.",
                pigs={0: Pig("small", -2.78, -0.04, 1.4)},
                blocks={
                    21: Block("rect_fat", "ice", -4.07948, 0.13062, 90.00576),
                    22: Block("rect_fat", "ice", -3.45939, -0.06264, 0.09819),
                    23: Block("rect_fat", "ice", -3.21919, 0.52353, 89.95897),
                    24: Block("square_small", "ice", -3.66688, 0.32929, 0.12666),
                    25: Block("rect_fat", "ice", -3.91949, 0.72081, 0.22956),
                    26: Block("square_tiny", "ice", -4.19999, 1.01641, 0.00163),
                    27: Block("square_tiny", "ice", -3.11925, 1.01671, 359.9803),
                    28: Block("square_tiny", "ice", -3.6, 1.01769, 0.22955),
                },
            ),
        ),
    ),
    Template(
        "12.6",
        """Four pigs stand on planks over circles of ice: hit the planks or a circle, so that the planks come down.

        Bodies
            bird: red
            pigs: four, small, in a row on the upper planks
            upper planks: four of wood, in two layers
            circles: three of ice, under the upper planks
            stack: ten blocks of wood, under the circles
            floor: platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point above the fourth pig, from -5.76 to 5.78
            y: of a point above the fourth pig, from -0.58 to 1.74, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            All four pigs die.

        Solvability
            One shot at the planks or the circles; what then falls kills the pigs.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", -3.12387, -0.77336, 0.74951),
                Pig("small", -2.38474, -0.77264, 1.22544),
                Pig("small", -4.89058, -0.77442, 1.32897),
                Pig("small", -4.06148, -0.76956, 1.26198),
            ),
            blocks=(
                Block("rect_big", "wood", -4.55716, -1.30107, 0.15694),
                Block("rect_big", "wood", -4.43529, -2.2489, 0.08667),
                Block("rect_fat", "wood", -3.87605, -2.54339, 0.05746),
                Block("rect_fat", "wood", -4.72695, -2.54432, 0.06159),
                Block("rect_fat", "wood", -4.69437, -2.93546, 0.02633),
                Block("rect_fat", "wood", -3.91012, -2.93512, 0.02428),
                Block("rect_fat", "wood", -3.06885, -2.93499, 359.9912),
                Block("rect_fat", "wood", -3.02007, -2.54312, 359.9698),
                Block("rect_fat", "wood", -2.20965, -2.93517, 359.9896),
                Block("rect_fat", "wood", -2.1602, -2.5435, 359.9773),
                Block("rect_medium", "wood", -2.48997, -2.24803, 359.9553),
                Block("rect_medium", "wood", -2.6925, -1.3017, 0.13088),
                Block("rect_big", "wood", -4.52843, -1.1011, 0.21924),
                Block("rect_medium", "wood", -2.6618, -1.10128, 0.11709),
                Block("circle", "ice", -4.88827, -1.76784, 0.13982),
                Block("circle", "ice", -2.11357, -1.76648, 359.9625),
                Block("circle", "ice", -3.56519, -1.76576, 0.07242),
            ),
            platforms=(Platform(-3.441, -3.26256, 0.0, 5.65163, 0.388),),
        ),
        Variation(point(-2.384823, -0.1313629), UnderLine(x=(-5.755874, 5.775358), y=(-0.575754, 1.737329))),
        fixed_angle_cap=0.3,
        rule=brought_down(blocks(0, 1, *range(11, 17)), *crushed(0, 1, 2, 3)),
        direct_shots_may_win=AMID_THE_STRUCTURE,
        in_reach=(point(-2.384823, -0.1313629),),
    ),
)
