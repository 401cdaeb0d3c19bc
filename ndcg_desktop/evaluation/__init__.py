"""Judgments, rankings and results as joined arrays: the one place where names become numbers."""
