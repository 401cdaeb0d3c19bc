"""Questions have the right answer, and a wrong one is told by the mistake that gives it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from ndcg_desktop.evaluation.answers import MOST_NAMED, TOLERANCE, Choice, Number, Ordering
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.exercise import (
    Exercise,
    Row,
    dcg_terms,
    exercise_of,
    figures,
    fitting,
    ideal_terms,
)
from ndcg_desktop.evaluation.question import Question, QuestionError
from ndcg_desktop.evaluation.questions import KINDS, ask, check, questions_of
from ndcg_desktop.scoring.options import Options

AT_4 = Options(cutoff=4)


def exercise(grades: list[float | None], missed: list[float] = [], **more) -> Exercise:  # noqa: B006
    """Documents A, B, C … returned with these grades, and others missed."""
    rows = [
        Row(chr(65 + place), grade, place + 1 if place < len(grades) else None)
        for place, grade in enumerate([*grades, *missed])
    ]
    return Exercise("q", tuple(rows), len(grades), **more)


WORKED = exercise([3, 1, 0, 2], [3])
ASKED = [ask(kind, WORKED, AT_4) for kind in ("ndcg", "ideal-order", "swap")]


# ---- an implementation of its own, in plain Python


def plain_dcg(gains: list[float], k: int | None, discount=lambda rank: 1 / math.log2(rank + 1)):
    """The sum over the first k."""
    return sum(gain * discount(rank) for rank, gain in enumerate(gains[:k], start=1))


def best(gains: list[float]) -> list[float]:
    """The gains in the ideal order."""
    return sorted(gains, reverse=True)


RANKED, ALL = [3, 1, 0, 2], best([3, 1, 0, 2, 3])
EXPONENTIAL = [2.0**grade - 1 for grade in RANKED]
IDEAL = plain_dcg(ALL, 4)
WORKED_DCG = plain_dcg(RANKED, 4)


def words(kind: str, text: str, options: Options = AT_4, **settings) -> str:
    """What is said of an answer about the worked example."""
    return check(ask(kind, WORKED, options, **settings), text).words


class TestMistakesOfTheWorkedExample:
    """A wrong answer is named by what produces it; the figures come from elsewhere."""

    def test_ideal_from_the_returned_only(self) -> None:
        """0.943 is the figure of scikit-learn, which sees the returned documents only."""
        value = ndcg_score([RANKED], [[4, 3, 2, 1]], k=4)

        assert value == pytest.approx(0.9433883681321763, abs=1e-12)
        assert words("ndcg", f"{value:.3f}") == (
            "0.943 is what you get when the ideal is built from the returned documents only."
        )

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (
                plain_dcg(EXPONENTIAL, 4) / plain_dcg(best([7, 1, 0, 3, 7]), 4),
                "the gain is exponential",
            ),
            (sum(RANKED) / sum(ALL[:4]), "nothing is discounted"),
            (
                plain_dcg(RANKED, 4, lambda i: 1 / max(math.log2(i), 1))
                / plain_dcg(ALL, 4, lambda i: 1 / max(math.log2(i), 1)),
                "1/log2(i), with none at rank 1 (Järvelin & Kekäläinen)",
            ),
            (
                plain_dcg(RANKED, 4, lambda i: 1 / i) / plain_dcg(ALL, 4, lambda i: 1 / i),
                "divided by the rank itself, 1/i",
            ),
            (plain_dcg(RANKED, 3) / plain_dcg(ALL, 3), "only the first 3 count instead of 4"),
            (WORKED_DCG, "the DCG is not divided by the ideal DCG"),
            (IDEAL, "only the ideal DCG is computed"),
            (IDEAL / WORKED_DCG, "the ideal DCG is divided by the DCG"),
            (WORKED_DCG / plain_dcg(ALL[::-1], 4), "sorted the wrong way, worst first"),
            (WORKED_DCG / plain_dcg([*RANKED, 3], 4), "keeps the order of the ranking"),
            (plain_dcg(RANKED, 1) / IDEAL, "the sum stops after its first term"),
            (5 / 6, "the terms are rounded to whole numbers"),
        ],
    )
    def test_of_ndcg(self, value: float, said: str) -> None:
        """Every way to go wrong with the nDCG."""
        assert f"{value:.3f} is what you get when" in words("ndcg", f"{value:.3f}")
        assert said in words("ndcg", f"{value:.3f}")

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (plain_dcg(EXPONENTIAL, 4), "the gain is exponential"),
            (6.0, "nothing is discounted"),
            (plain_dcg(RANKED, 4, lambda i: 1 / math.log(i + 1)), "the natural one, ln(i+1)"),
            (plain_dcg(RANKED, 4, lambda i: 1 / math.log10(i + 1)), "log10(i+1)"),
            (plain_dcg(RANKED, 4, lambda i: 1 / i), "1/i"),
            (plain_dcg(RANKED, 3), "only the first 3 count instead of 4"),
            (3.0, "the sum stops after its first term"),
            (4.4, "the discounts are rounded to one decimal"),
            (IDEAL, "the ideal DCG is given"),
            (WORKED_DCG / IDEAL, "the nDCG is given"),
        ],
    )
    def test_of_dcg(self, value: float, said: str) -> None:
        """Every way to go wrong with the DCG."""
        assert said in words("dcg", f"{value:.3f}")

    def test_k(self) -> None:
        """A document too many, or all of them."""
        said = words("dcg", f"{WORKED_DCG:.3f}", Options(cutoff=3))
        assert "the first 4 count instead of 3, or when k is ignored" in said

        longer = exercise([3, 1, 0, 2, 1, 2], [3])
        all_of_them = plain_dcg([3, 1, 0, 2, 1, 2], None)
        said = check(ask("dcg", longer, Options(cutoff=3)), f"{all_of_them:.3f}").words
        assert said.endswith("when k is ignored, so that every document counts.")

    def test_of_the_ideal(self) -> None:
        """The returned only; the wrong way round; the ranking as it stands."""
        returned = plain_dcg(best(RANKED), 4)
        assert "from the returned documents only" in words("ideal-dcg", f"{returned:.3f}")
        assert "wrong way" in words("ideal-dcg", f"{plain_dcg(ALL[::-1], 4):.3f}")
        assert "as it stands" in words("ideal-dcg", f"{WORKED_DCG:.3f}")

    def test_of_what_if_found(self) -> None:
        """E found at rank 1: nothing changed, E in the place of another, or twice in the ideal."""
        settings = {"document": "E", "rank": 2}
        after = plain_dcg([3, 3, 1, 0, 2], 4)
        assert words("found", f"{after / IDEAL:.3f}", **settings) == "Right. It is 0.853."
        assert "nothing is changed" in words("found", "0.710", **settings)
        placed = plain_dcg([3, 3, 0, 2], 4) / IDEAL
        assert "takes the place" in words("found", f"{placed:.3f}", **settings)
        twice = after / plain_dcg([3, 3, 3, 2], 4)
        assert "counted twice" in words("found", f"{twice:.3f}", **settings)

    @pytest.mark.parametrize(
        ("kind", "settings", "value", "said"),
        [
            ("gain", {"grade": 3.0}, "3", "the gain is linear"),
            ("gain", {"grade": 3.0}, "8", "the 1 is not taken away"),
            ("gain", {"grade": 3.0}, "9", "squared"),
            ("discount", {"rank": 3}, "0.631", "1/log2(i)"),
            ("discount", {"rank": 3}, "2", "turned over"),
            ("discount", {"rank": 3}, "0,333", "1/i"),
            ("discount", {"rank": 4}, "0.621", "ln(i+1)"),
        ],
    )
    def test_of_parts(self, kind: str, settings: dict, value: str, said: str) -> None:
        """Gain and discount go wrong by themselves."""
        assert said in words(kind, value, Options(gain="exponential"), **settings)

    def test_unjudged(self) -> None:
        """A document that is not judged taken out, or left in."""
        blank = exercise([2, None, 3, 1], [1])
        kept, removed = (
            plain_dcg(gains, 4) / plain_dcg([3, 2, 1, 1], 4) for gains in ([2, 0, 3, 1], [2, 3, 1])
        )
        question = ask("ndcg", blank, AT_4)
        assert check(question, f"{kept:.3f}").right
        assert "are removed" in check(question, f"{removed:.3f}").words
        question = ask("ndcg", blank, replace(AT_4, unjudged="remove"))
        assert check(question, f"{removed:.3f}").right
        assert "keep their places" in check(question, f"{kept:.3f}").words

    def test_none(self) -> None:
        """A figure that nothing gives is not explained."""
        assert words("ndcg", "0.123") == "0.123 is not right, and no common mistake gives it."


class TestReading:
    """Figures as people write them."""

    @pytest.mark.parametrize(
        "text",
        [
            "0.71",
            "0,71",
            "71 %",
            "71%",
            " .710",
            "= 0.7104",
            "71,04 %",
            "4.49/6.32",
            "5/7",
            "+0.71",
        ],
    )
    def test_right(self, text: str) -> None:
        """All of these are 0.710."""
        assert words("ndcg", text).startswith("Right.")

    @pytest.mark.parametrize(
        "text", ["", "abc", "1/0", "0.7.1", "nan", "1e5", "∞", "--3", "9" * 400, "1/", "%"]
    )
    def test_not_understood(self, text: str) -> None:
        """These are no answers, so they do not count as wrong ones."""
        verdict = check(ask("ndcg", WORKED, AT_4), text)
        assert not verdict.right and not verdict.understood and "Type" in verdict.words

    @given(st.text(max_size=30))
    def test_anything(self, text: str) -> None:
        """Whatever is typed, something is said."""
        for question in ASKED:
            assert check(question, text).words

    def test_too_few_digits(self) -> None:
        """0.7 is 0.710 with too few digits."""
        assert words("ndcg", "0.7") == "0.7 is rounded too much: give 3 decimals."

    def test_percentage_without_sign(self) -> None:
        """71 is not 71 %."""
        assert "its sign, %" in words("ndcg", "71")


class TestChoices:
    """Orders of documents, and words to choose from."""

    @pytest.mark.parametrize("text", ["A, E, D, B", "e a d b", "A;E;D;B;C", "E > A > D > B"])
    def test_ideal_order(self, text: str) -> None:
        """Documents of one grade may change places; what gains nothing may be left out."""
        assert words("ideal-order", text).startswith("Right.")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("A, D, B, C", "E is left out. It was judged"),
            ("C, B, D, A", "sorted the wrong way"),
            ("A, A, E, D", "A stands twice"),
            ("A, E", "D is left out"),
            ("A, E, B, D", "At place 3 a document with gain 2 can stand"),
            ("A, E, X", "no document “X”"),
        ],
    )
    def test_wrong_order(self, text: str, said: str) -> None:
        """What is wrong with an order is said."""
        verdict = check(ask("ideal-order", WORKED, AT_4), text)
        assert not verdict.right and said in verdict.words

    def test_unjudged_in_the_ideal(self) -> None:
        """What nobody judged has no place in it."""
        question = ask("ideal-order", exercise([2, None, 3]), Options(cutoff=3))
        assert "B is not judged" in check(question, "C, A, B").words

    def test_letters(self) -> None:
        """Capitals matter only where two documents differ in nothing else."""
        rows = (Row("a", 1, 1), Row("A", 3, 2), Row("Trail runner", 2, 3))
        question = ask("ideal-order", Exercise("q", rows, 3), AT_4)
        assert check(question, "A, trail runner, a").right
        assert not check(question, "a, Trail runner, A").right

    def test_zero_before_another(self) -> None:
        """A document that gains nothing may not stand above one that does."""
        question = ask("ideal-order", exercise([2, 0, 3]), Options(cutoff=3))
        assert not check(question, "C, B, A").right

    @pytest.mark.parametrize("pairs", ["neighbours", "any"])
    @pytest.mark.parametrize("grades", [[3, 1, 0, 2], [0, 1, 3, 2, 3], [1, 0, 3, 0, 2, 2]])
    def test_swap(self, grades: list[float], pairs: str) -> None:
        """The best exchange is the one that brute force finds."""
        options = Options(cutoff=4)
        question = ask("swap", exercise(grades, [3]), options, pairs=pairs)
        assert isinstance(question.answer, Choice)
        values = {}
        for a in range(len(grades)):
            for b in range(a + 1, len(grades)):
                if (pairs == "any" or b == a + 1) and a < 4:
                    other = grades.copy()
                    other[a], other[b] = other[b], other[a]
                    values[f"(ranks {a + 1} and {b + 1})"] = plain_dcg(other, 4)
        most = max(values.values())
        right = {text for text, value in values.items() if value > most - 1e-9}
        chosen = {
            question.answer.choices[number].split(" ", 3)[3] for number in question.answer.right
        }

        assert chosen == right

    def test_which_gain(self) -> None:
        """A figure is known by its gain."""
        question = ask("which-gain", WORKED, replace(AT_4, gain="exponential"))
        assert "is 0.669" in question.text
        assert check(question, "exponential").right
        assert check(question, "linear").words == "Not this one. With linear gain it is 0.710."

    def test_why_undefined(self) -> None:
        """Grades of 0 are judgments, blanks are none."""
        zero = ask("why-undefined", exercise([0, None, 0]), AT_4)
        assert check(zero, "3").right and not check(zero, "2").right
        blank = ask("why-undefined", exercise([None, None]), AT_4)
        assert check(blank, "2").right and not check(blank, "3").right

    def test_tie(self) -> None:
        """Tied results get the mean of their discounts, as in scikit-learn."""
        rows = [("K", 1.0, 9.0), ("L", 3.0, 7.0), ("M", 0.0, 7.0), ("N", 2.0, 4.0)]
        tied = Exercise("q", tuple(Row(d, g, n, s) for n, (d, g, s) in enumerate(rows, start=1)), 4)
        question = ask("tie", tied, AT_4)
        value = dcg_score([[g for _, g, _ in rows]], [[s for _, _, s in rows]], k=4)
        assert isinstance(question.answer, Number)
        assert question.answer.value == pytest.approx(value, abs=1e-12)
        assert "shown in" in check(question, f"{plain_dcg([1, 3, 0, 2], 4):.3f}").words
        assert "other order" in check(question, f"{plain_dcg([1, 0, 3, 2], 4):.3f}").words


class TestRefused:
    """A question that makes no sense is not asked, and it is said why."""

    @pytest.mark.parametrize(
        ("kind", "about", "options", "settings", "said"),
        [
            ("dcg", exercise([0, 0]), AT_4, {}, "its DCG is 0"),
            ("ideal-dcg", exercise([0, 0]), AT_4, {}, "the ideal DCG is 0"),
            ("ndcg", exercise([0, 0]), AT_4, {}, "no relevant document judged"),
            ("found", WORKED, AT_4, {"document": "Z", "rank": 1}, "not among the missed"),
            ("found", WORKED, AT_4, {"document": "E", "rank": 6}, "from 1 to 5"),
            ("swap", exercise([3, 2, 1]), AT_4, {}, "No exchange"),
            ("which-gain", exercise([1, 0, 1]), AT_4, {}, "the same nDCG"),
            ("tie", WORKED, AT_4, {}, "No results with the same score"),
            ("why-undefined", WORKED, AT_4, {}, "has an nDCG"),
            ("ideal-order", exercise([1, 1]), AT_4, {}, "any order is ideal"),
            (
                "ideal-order",
                Exercise("q", (Row("A, B", 1, 1), Row("C", 0, 2)), 2),
                AT_4,
                {},
                "a comma, ; or > in its name",
            ),
            ("gain", WORKED, AT_4, {"grade": 1e9}, "no gain"),
            ("discount", WORKED, AT_4, {"rank": 0}, "from 1 to"),
            ("swap", WORKED, AT_4, {"pairs": "some"}, "neighbours or any"),
        ],
    )
    def test_why(self, kind, about, options, settings, said) -> None:
        """The reason is in the error."""
        with pytest.raises(QuestionError, match=said):
            ask(kind, about, options, **settings)


# ---- of any data

GRADES = st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=1, max_size=14)
OPTIONS = st.builds(
    Options,
    gain=st.sampled_from(["linear", "exponential"]),
    cutoff=st.one_of(st.none(), st.integers(1, 9)),
    ideal=st.sampled_from(["judged", "returned"]),
    unjudged=st.sampled_from(["zero", "remove"]),
    discount=st.sampled_from(["log2", "reciprocal", "base"]),
    order=st.sampled_from(["auto", "ties-averaged"]),
)


@st.composite
def evaluations(draw) -> Evaluation:
    """One query: some documents returned, some with one score, some missed."""
    grades, missed = draw(GRADES), draw(st.lists(st.integers(0, 4), max_size=4))
    scores = draw(st.lists(st.integers(1, 5), min_size=len(grades), max_size=len(grades)))
    names = [f"d{number}" for number in range(len(grades) + len(missed))]
    judged = [("q", name, grade) for name, grade in zip(names, [*grades, *missed], strict=True)]
    ranking = [
        ("q", name, score) for name, score in zip(names, sorted(scores, reverse=True), strict=False)
    ]
    return evaluation_of(judged, ranking)


@settings(max_examples=100)
@given(evaluations(), OPTIONS, st.integers(0, 1000))
def test_right_answers_are_right(evaluation: Evaluation, options: Options, seed: int) -> None:
    """The right answer is accepted however it is written, and no mistake comes near to it."""
    evaluation.options = options
    for question in questions_of(evaluation, 0, 0, options, seed, 6):
        answer = question.answer
        if isinstance(answer, Number):
            for text in (
                answer.text,
                f"{answer.value:.2f}",
                f"{answer.value:.3f}".replace(".", ","),
            ):
                assert check(question, text).right
            assert check(question, f"{100 * answer.value:.1f} %").right
            for mistake in answer.wrong():
                assert abs(mistake.value - answer.value) > TOLERANCE or not answer.decimals
                verdict = check(question, f"{mistake.value:.12f}")
                assert not verdict.right and "is what you get when" in verdict.words
                assert verdict.words.count("or when") < MOST_NAMED
        elif isinstance(answer, Ordering):
            assert check(question, answer.text).right
        else:
            for place, choice in enumerate(answer.choices):
                assert check(question, choice).right == (place in answer.right)


@settings(max_examples=100)
@given(evaluations(), OPTIONS)
def test_an_exercise_scores_as_its_query(evaluation: Evaluation, options: Options) -> None:
    """Cut out of the data and laid out by itself, a query has the figures it had before."""
    evaluation.options = options
    cut = exercise_of(evaluation, 0, 0, options)
    assert cut is not None
    scores, sums = evaluation.scores(0), figures(cut, options)

    assert (sums.dcg, sums.ideal) == pytest.approx((scores.dcg[0], scores.ideal_dcg[0]), abs=1e-12)
    assert sums.status == scores.status[0]
    for terms, total in (
        (dcg_terms(cut, options), sums.dcg),
        (ideal_terms(cut, options), sums.ideal),
    ):
        assert sum(term.gain * term.discount for term in terms) == pytest.approx(total, abs=1e-12)


class TestOfTheOpenData:
    """Some questions that suit a query."""

    @pytest.fixture
    def worked(self) -> Evaluation:
        """The worked example."""
        return evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)

    def test_same_seed(self, worked: Evaluation) -> None:
        """The same seed asks the same, another one something else."""

        def texts(seed: int) -> list[str]:
            return [q.text for q in questions_of(worked, 0, 0, worked.options, seed, 6)]

        assert texts(1) == texts(1) != texts(2)

    def test_of_many_kinds(self, worked: Evaluation) -> None:
        """As many kinds as there are questions, the easy ones first."""
        kinds = [q.kind for q in questions_of(worked, 0, 0, worked.options, 5, 8)]
        order = list(KINDS)
        assert len(set(kinds)) == 8
        assert kinds == sorted(kinds, key=order.index)

    def test_each_says_its_measure(self, worked: Evaluation) -> None:
        """Gain, discount and ideal stand beside every figure."""
        asked = questions_of(worked, 0, 0, worked.options, 1, 30)
        for question in (each for each in asked if each.kind in ("ndcg", "found", "swap")):
            assert "linear gain" in question.measure and "ideal from all judged" in question.measure
            assert "1/log2(i+1)" in question.measure

    def test_small_sums(self) -> None:
        """Ten terms at the most, and nothing that a question would not tell of."""
        options = Options(cutoff=100, order="score", missing="skip", gain="exponential")
        assert fitting(options, WORKED) == Options(cutoff=10, gain="exponential")
        assert fitting(Options(cutoff=None), WORKED).cutoff == 4

    def test_numbers_written_out(self) -> None:
        """The explanation has every term."""
        question: Question = ask("ndcg", WORKED, AT_4)
        assert question.explanation == (
            "DCG@4 = 3 × 1.000 + 1 × 0.631 + 0 × 0.500 + 2 × 0.431 = 4.492",
            "Best first: A, E, D, B.",
            "ideal DCG@4 = 3 × 1.000 + 3 × 0.631 + 2 × 0.500 + 1 × 0.431 = 6.323",
            "nDCG@4 = 4.492 / 6.323 = 0.710",
        )

    def test_too_large(self) -> None:
        """A query with a hundred judged documents is no exercise, a long ranking is one."""
        many = [("q", f"d{n}", 1 + n % 3) for n in range(100)]
        assert not questions_of(evaluation_of(many, many), 0, 0, Options(), 1, 5)
        long = [("q", f"d{n}") for n in range(1000)]
        evaluation = evaluation_of([("q", "d1", 2), ("q", "d3", 1), ("q", "d40", 3)], long)
        asked = questions_of(evaluation, 0, 0, Options(), 1, 300)
        (ndcg,) = [q for q in asked if q.text == "What is the nDCG@10 of this ranking?"]
        assert ndcg.exercise is not None and len(ndcg.exercise.rows) == 11
        assert ndcg.answer.value == pytest.approx(evaluation.scores(0).value[0])

    def test_nothing_to_ask(self, worked: Evaluation) -> None:
        """Without a ranking, or where it returns nothing, there are no questions."""
        assert not questions_of(worked, 0, None, worked.options, 1, 5)
        absent = evaluation_of([("a", "x", 1), ("b", "y", 1)], [("a", "x")])
        assert not questions_of(absent, 1, 0, absent.options, 1, 5)

    def test_only_why_of_an_undefined_query(self) -> None:
        """Of a query whose grades are all 0 there is little else to ask."""
        evaluation = evaluation_of([("q", "x", 0)], [("q", "x"), ("q", "y")])
        kinds = {q.kind for q in questions_of(evaluation, 0, 0, evaluation.options, 1, 30)}
        assert kinds == {"discount", "why-undefined"}

    def test_given_ideal(self) -> None:
        """The calculator's six documents under their column of ideal grades."""
        grades = [3, 2, 3, 0, 1, 2]
        rows = [("q", f"d{n}", grade) for n, grade in enumerate(grades)]
        returned = [row[:2] for row in rows]
        evaluation = evaluation_of(rows, returned, ideal={"q": best(grades)}, cutoff=6)
        options = evaluation.options = replace(evaluation.options, ideal="column")
        asked = questions_of(evaluation, 0, 0, options, 1, 40)
        (question,) = [q for q in asked if q.text == "What is the nDCG@6 of this ranking?"]
        assert question.answer.value == pytest.approx(
            plain_dcg(grades, 6) / plain_dcg(best(grades), 6), abs=1e-12
        )
        assert question.answer.text == "0.961"
