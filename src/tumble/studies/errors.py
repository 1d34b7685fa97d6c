"""Errors of studies."""

from tumble.errors import TumbleError


class StudyError(TumbleError):
    """A study that can't be read, or a request that does not fit it."""


class UnknownParticipantError(StudyError):
    """A code that no participant has."""


class ConflictError(StudyError):
    """A request that does not follow from what the participant did so far, as one from a second tab may not."""


class StudyFileError(OSError):
    """A study's database that can't be read or written just now, as where the disk is full; it can be tried again."""
