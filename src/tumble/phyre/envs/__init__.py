"""PHYRE as Gymnasium environments."""
