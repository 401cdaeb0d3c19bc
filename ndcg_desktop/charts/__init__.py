"""Figures drawn from an evaluation with matplotlib. No Qt: screen and report show one picture."""
