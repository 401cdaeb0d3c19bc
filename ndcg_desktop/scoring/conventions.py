"""Named sets of options that give the figure another tool gives, as read from its source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ndcg_desktop.scoring.options import Options


@dataclass(frozen=True, slots=True)
class Convention:
    """The options of one tool. Gain and cutoff are the user's own where the tool offers both."""

    name: str
    version: str
    options: dict[str, Any]

    def apply(self, options: Options) -> Options:
        """The options that give this tool's figure at the same cutoff."""
        # None of these tools reads a table of gains as it is read here.
        gain = "linear" if options.gain == "table" else options.gain
        return replace(Options(cutoff=options.cutoff), **{"gain": gain, **self.options})


CONVENTIONS = {
    convention.name: convention
    for convention in (
        # ndcg_cut: a judged query that the run misses is skipped, as without -c before v10.
        Convention(
            "trec_eval",
            "9.0.8, and pytrec_eval 0.5.11",
            {"gain": "linear", "order": "score", "undefined": "zero", "missing": "skip"},
        ),
        Convention(
            "ir_measures", "0.4.3", {"order": "score", "undefined": "zero", "missing": "zero"}
        ),
        # It keeps the order it is given, and refuses rankings that miss a query.
        Convention("ranx", "0.3.21", {"order": "file", "undefined": "zero", "missing": "zero"}),
        Convention(
            "scikit-learn",
            "1.9.1, on the returned documents",
            {
                "gain": "linear",
                "order": "ties-averaged",
                "ideal": "returned",
                "undefined": "zero",
                "missing": "skip",
            },
        ),
    )
}
"""By name."""

ALIASES = {"pytrec_eval": "trec_eval", "sklearn": "scikit-learn"}


def convention(name: str) -> Convention | None:
    """The convention of this name, None where there is none."""
    return CONVENTIONS.get(ALIASES.get(name, name))


def matching(options: Options) -> Convention | None:
    """The convention that these very options are, None where they are nobody's."""
    return next((each for each in CONVENTIONS.values() if each.apply(options) == options), None)
