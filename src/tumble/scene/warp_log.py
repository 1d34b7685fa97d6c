"""Keeps Warp from printing its banner and build times; its errors still show."""

import warp as wp


def hush() -> None:
    """Raises Warp's log level, unless somebody already chose one."""
    if wp.config.log_level == wp.LOG_INFO:
        wp.config.log_level = wp.LOG_ERROR
