"""The figures that other tools printed, at their full precision, from the same options here."""

import gzip
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from build import evaluation_of, values_of

from ndcg_desktop.scoring.conventions import convention
from ndcg_desktop.scoring.options import Options

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
CASES = {case["id"]: case for case in json.loads((ORACLE / "cases.json").read_text("utf-8"))}
FOUR_DECIMALS, FIVE_DECIMALS, FLOAT32 = 5.1e-5, 5.1e-6, 1e-6

FRACTIONS = frozenset({"float-grades-below-one"})
NEGATIVE = frozenset({"negative-grade-returned", "negative-all-minus1", "negative-all-minus2"})
UNDEFINED = frozenset({"all-zero-judged", "negative-all-minus1"})
LATER_RUNS = frozenset({"one-doc-each"})


def options_of(name, gain="linear", **changes):
    """The options of a convention, some of them changed."""
    return replace(convention(name).apply(Options(gain=gain)), **changes)


@dataclass(frozen=True)
class Tool:
    """A tool's measures by their name up to the cutoff, and the options that are the same.

    ``rows`` says what it goes by: scores of 64 or 32 bits, or the order that a stable sort by score
    gives. ``differs`` are cases that it refuses, or is known to treat in another way.
    """

    name: str
    measure: str
    options: Options
    differs: frozenset[str] = frozenset()
    rows: str = "float64"
    tolerance: float = 1e-9
    prints_missing: bool = True


PYTREC_EVAL = "pytrec_eval-terrier 0.5.11"
V9 = "trec_eval v9.0.8 (git d95ca64, 2020, 32-bit scores)"
V10 = "trec_eval v10.0 (git f425365, 2026, 64-bit scores)"
SKLEARN = "scikit-learn 1.9.1 (returned documents only)"
SKLEARN_ALL = "scikit-learn 1.9.1 (returned + unreturned judged, tied last)"
RETURNED = {"ideal": "returned", "undefined": "one", "missing": "skip"}
NTCIR = {"undefined": "skip", "missing": "skip"}
# It refuses negative grades, a single document, and scores that are not finite.
SKLEARN_REFUSES = NEGATIVE | LATER_RUNS | {"infinite-scores"}
# -J leaves out what is judged below 0, as if it were not judged.
DROPS_NEGATIVE = frozenset({"negative-grade-returned"})

TOOLS = [
    Tool(PYTREC_EVAL, "ndcg", options_of("pytrec_eval"), rows="float32"),
    Tool(
        f"{PYTREC_EVAL} judged_docs_only",
        "ndcg",
        options_of("pytrec_eval", unjudged="remove"),
        DROPS_NEGATIVE,
        "float32",
    ),
    Tool(
        f"{PYTREC_EVAL} grades mapped to 2^g-1",
        "ndcg",
        options_of("pytrec_eval", gain="exponential") | {}
        if False
        else replace(options_of("pytrec_eval"), gain="exponential"),
        rows="float32",
    ),
]
