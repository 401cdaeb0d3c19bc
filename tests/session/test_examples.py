"""Every example opens, and the figures that its sentence names are those that the program has."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import permutations, product

import pytest

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.resources import Example, examples

FIGURE = re.compile(r"\b[01]\.\d{3}\b")

SEEN_UNDER: dict[str, list[dict]] = {
    "worked-example": [{}],
    "six-documents": [{}],
    "textbook-eight": [{}, {"ideal": "returned"}],
    "ties": [{}, {"order": "file"}, {"order": "ties-averaged"}],
    "unjudged": [{}, {"unjudged": "remove"}],
    "undefined": [{}, {"undefined": "zero"}],
}
"""The options beside its own that an example's sentence tells the figures of."""


def ndcg(grades: list[float], judged: list[float], k: int) -> float:
    """In plain Python, with linear gain."""

    def dcg(gains: list[float]) -> float:
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1))

    return dcg(grades) / dcg(sorted(judged, reverse=True))


SIX = [3, 2, 3, 0, 1, 2]
OPEN = [ndcg([2, b, 3, d], [2, 3, 0, 1, b, d], 4) for b, d in product(range(4), repeat=2)]
TIED = [3, 0, 1]
WORKED_OUT = {
    "worked-example": [ndcg([3, 1, 0, 2], [3, 1, 0, 2, 3], 4)],
    "six-documents": [ndcg(SIX, SIX, 6)],
    "textbook-eight": [ndcg(SIX, [*SIX, 3, 2], 6), ndcg(SIX, SIX, 6)],
    "ties": [
        ndcg([1, *TIED[::-1]], [1, *TIED, 3], 3),
        ndcg([1, *TIED], [1, *TIED, 3], 3),
        sum(ndcg([1, *some], [1, *TIED, 3], 3) for some in permutations(TIED)) / 6,
    ],
    "unjudged": [
        ndcg([2, 0, 3, 0], [2, 3, 0, 1], 4),
        min(OPEN),
        max(OPEN),
        ndcg([2, 3, 0], [2, 3, 0, 1], 4),
    ],
    "undefined": [ndcg([0, 3, 2], [0, 3, 2], 3), ndcg([0, 3, 2], [0, 3, 2], 3) / 2],
}
"""The figures of a sentence, in its order, by definition alone."""


def opened(qtbot, session, example: Example) -> Evaluation:
    """The evaluation of an example."""
    with qtbot.waitSignal(session.replaced, timeout=20_000):
        session.open_example(example)
    return session.evaluation


TELLING = [example for example in examples() if example.name in SEEN_UNDER]


def name_of(example: Example) -> str:
    """What a test is called."""
    return example.name


class TestExamples:
    """One click each."""

    @pytest.mark.parametrize("example", examples(), ids=name_of)
    def test_opens(self, qtbot, session, example: Example) -> None:
        """An example opens with nothing to be asked, and has a score."""
        evaluation = opened(qtbot, session, example)
        assert evaluation.scores(0).n > 0
        assert example in TELLING or not FIGURE.findall(example.teaches)

    @pytest.mark.parametrize("example", TELLING, ids=name_of)
    def test_its_figures(self, qtbot, session, example: Example) -> None:
        """What the sentence says is what the program shows, and what the definition gives."""
        evaluation = opened(qtbot, session, example)
        own, shown = evaluation.options, set()
        for options in SEEN_UNDER[example.name]:
            evaluation.options = replace(own, **options)
            shown.add(wording.decimal(evaluation.scores(0).mean))
        evaluation.options = own
        bounds = query_bounds(evaluation, 0, 0)
        shown |= {wording.decimal(float(end[0])) for end in (bounds.lower, bounds.upper)}
        named = FIGURE.findall(example.teaches)

        assert set(named) <= shown
        assert named == [f"{value:.3f}" for value in WORKED_OUT[example.name]]
