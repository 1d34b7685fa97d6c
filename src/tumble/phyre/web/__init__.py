"""The pages on which people attempt PHYRE tasks."""
