"""The Warp kernel that turns fine pictures of colour indices into pictures of mean colours.

In a file of its own because Warp compiles per Python module.
"""

# mypy: disable-error-code="untyped-decorator"

from typing import Literal

import warp as wp

from tumble.scene.warp_log import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.kernel
def mean_colours(
    fine: wp.array[wp.uint8, Literal[3]],
    palette: wp.array[wp.int32, Literal[2]],
    smoothness: int,
    pictures: wp.array[wp.uint8, Literal[4]],
) -> None:
    """Every pixel of pictures [n, rows, columns, 3] is the mean of its smoothness² subpixels in `fine`, rounded."""
    picture, row, column = wp.tid()
    count = smoothness * smoothness
    red = count / 2
    green = count / 2
    blue = count / 2
    for down in range(smoothness):
        for along in range(smoothness):
            index = int(fine[picture, row * smoothness + down, column * smoothness + along])
            red += palette[index, 0]
            green += palette[index, 1]
            blue += palette[index, 2]
    pictures[picture, row, column, 0] = wp.uint8(red / count)
    pictures[picture, row, column, 1] = wp.uint8(green / count)
    pictures[picture, row, column, 2] = wp.uint8(blue / count)
