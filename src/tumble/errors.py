"""The base class of all errors that are the user's doing."""


class TumbleError(ValueError):
    """Wrong input, said in one line: what is wrong, where, and what would be right. Everything else is a bug."""
