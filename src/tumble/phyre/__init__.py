"""PHYRE: place balls in a 2D world so that two bodies come to touch. So far only its folds and metrics."""

from tumble.phyre.metrics import auccess, success_at, success_curve, wilcoxon_p
from tumble.phyre.splits import SETTINGS, Fold, fold

__all__ = ["SETTINGS", "Fold", "auccess", "fold", "success_at", "success_curve", "wilcoxon_p"]
