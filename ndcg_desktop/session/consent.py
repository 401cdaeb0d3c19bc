"""What the user has agreed to replace in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Consent:
    """Each is asked about first: a file that another program has changed, formulas in the cells of
    grades, and cells that hold something else than the grade that was shown.
    """

    changed: bool = False
    formulas: bool = False
    others: bool = False


NO_CONSENT = Consent()
