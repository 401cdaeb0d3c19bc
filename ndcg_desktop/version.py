"""Which version of the program this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """The version of this program, "unknown" where it is not installed."""
    try:
        return version("ndcg-desktop")
    except PackageNotFoundError:
        return "unknown"
