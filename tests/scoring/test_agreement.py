"""Agreement of judges, against scikit-learn, statsmodels, krippendorff and published figures."""

import math
import tracemalloc

import krippendorff
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from ndcg_desktop.scoring.agreement import (
    UNGRADED,
    Fleiss,
    codes,
    cohen_kappa,
    confusion,
    fleiss_kappa,
    kappa_of_codes,
    krippendorff_alpha,
)

EXACT = 1e-12
WEIGHTS = ("none", "linear", "quadratic")
LEVELS = ("nominal", "ordinal", "interval")
NONE = math.nan
SCALE = np.unique(strategies.GRADES)
DECLARED = np.union1d(SCALE, (-1.0, 1.5, 4.0))
"""With grades that nobody gives, also between those that somebody does."""

KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)
"""Observers A to D of section C of the paper."""

FLEISS_1971 = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 "
    "144444 124444 222333 144444 224445 333335 111455 111112 224444 133555 "
    "555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"
)
"""Thirty patients, each diagnosed by six psychiatrists."""

WIKIPEDIA_FLEISS = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)
"""How many of 14 raters gave each of ten subjects each of five grades."""


def matrices(judges=(2, 4), grades=strategies.GRADES):
    """Grades of a few judges for a few documents, many of them missing."""
    row = st.sampled_from((NONE, NONE, NONE, *grades))

    def of_size(size):
        columns = st.lists(row, min_size=size[1], max_size=size[1])
        return st.lists(columns, min_size=size[0], max_size=size[0]).map(
            lambda rows: np.array(rows, dtype=float).reshape(size)
        )

    return st.tuples(st.integers(*judges), st.integers(0, 9)).flatmap(of_size)


def pairs_of(table):
    """The grades of two judges, from a table of how many documents have which two grades."""
    a, b = np.indices(np.shape(table)).reshape(2, -1).repeat(np.ravel(table), axis=1)
    return a.astype(float), b.astype(float)


def column_of(counts):
    """Grades of one document, given how many judges gave which grade."""
    return np.repeat(np.arange(len(counts), dtype=float), counts)


def paired(grades, number=2):
    """The documents that have this number of grades or more, as lists of grades."""
    documents = [column[~np.isnan(column)].tolist() for column in grades.T]
    return [document for document in documents if len(document) >= number]


def same(value):
    """Equal but for rounding; NaN equals NaN."""
    return pytest.approx(value, rel=0, abs=EXACT, nan_ok=True)


def indices(a, b, categories):
    """Places of the grades of the documents that both judges graded, found one by one."""
    known = categories.tolist()
    both = [(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x == x and y == y]
    return [known.index(x) for x, _ in both], [known.index(y) for _, y in both]


def kappa_of_scikit_learn(a, b, weights, categories):
    """Kappa and n by scikit-learn, NaN where only one grade was given, or none."""
    x, y = indices(a, b, categories)
    if len({*x, *y}) < 2:
        return NONE, len(x)
    named = None if weights == "none" else weights
    return cohen_kappa_score(x, y, weights=named, labels=range(len(categories))), len(x)


def alpha_of_krippendorff(grades, level):
    """Alpha and n by the package krippendorff, NaN where only one grade was given, or none."""
    documents = paired(grades)
    if len({grade for document in documents for grade in document}) < 2:
        return NONE, len(documents)
    value = krippendorff.alpha(reliability_data=grades, level_of_measurement=level)
    return value, len(documents)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(matrices(judges=(2, 2)))
def test_cohen_is_that_of_scikit_learn(weights, grades):
    """Cohen's kappa is scikit-learn's, on a declared scale and on the grades that were seen."""
    a, b = grades
    assert cohen_kappa(a, b, weights, DECLARED) == same(
        kappa_of_scikit_learn(a, b, weights, DECLARED)
    )
    seen = np.unique(paired(grades))
    assert cohen_kappa(a, b, weights) == same(kappa_of_scikit_learn(a, b, weights, seen))


@given(matrices(judges=(2, 2)))
def test_confusion_is_that_of_scikit_learn(grades):
    """The documents by the grades of two judges are counted as scikit-learn counts them."""
    a, b = grades
    got = confusion(a, b, DECLARED)
    x, y = indices(a, b, DECLARED)
    assert got.dtype == np.int64
    assert got.shape == (len(DECLARED), len(DECLARED))
    assert got.sum() == len(x)
    if x:
        assert (got == confusion_matrix(x, y, labels=range(len(DECLARED)))).all()


@pytest.mark.parametrize(
    ("table", "weights", "published"),
    [
        (((20, 5), (10, 15)), "none", "0.4000"),
        (((0, 4, 1), (0, 8, 0), (0, 1, 5)), "none", "0.4842"),
        (((0, 4, 1), (0, 8, 0), (0, 1, 5)), "linear", "0.4701"),
    ],
)
def test_published_values_of_cohen(table, weights, published):
    """Cohen's kappa is .4 for Wikipedia's grant proposals, and as SAS prints it for its own."""
    a, b = pairs_of(table)
    value, n = cohen_kappa(a, b, weights)
    assert (f"{value:.4f}", n) == (published, np.sum(table))
    assert (confusion(a, b, np.arange(len(table), dtype=float)) == table).all()


def test_an_unused_grade_between_others_is_a_step():
    """A declared grade that nobody gave counts for the weights, and not without weights."""
    a, b = np.array([0.0, 1.0, 3.0, 3.0]), np.array([0.0, 1.0, 1.0, 3.0])
    scale = np.arange(4.0)
    for weights in ("linear", "quadratic"):
        declared, seen = cohen_kappa(a, b, weights, scale), cohen_kappa(a, b, weights)
        assert declared == same(kappa_of_scikit_learn(a, b, weights, scale))
        assert declared[0] < seen[0] - 0.01
    assert cohen_kappa(a, b, "none", scale) == cohen_kappa(a, b)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cohen_without_a_value(weights):
    """Kappa is NaN, with n, where no document is shared and where both give one and the same
    grade; it is 0 where only one of them gives always the same.
    """
    apart = np.array([1.0, NONE]), np.array([NONE, 2.0])
    assert cohen_kappa(*apart, weights, SCALE) == same((NONE, 0))
    assert cohen_kappa(*apart, weights) == same((NONE, 0))
    ones = np.array([1.0, 1.0, 1.0, NONE])
    assert cohen_kappa(ones, ones, weights, SCALE) == same((NONE, 3))
    other = np.array([1.0, 2.0, 1.0, 1.0])
    assert cohen_kappa(ones, other, weights, SCALE) == same((0.0, 3))


@pytest.mark.parametrize("grade", [-3.0, 0.25, 9.0])
def test_a_grade_off_the_categories_is_refused(grade):
    """A grade below, between or above the categories is an error, not one of its neighbours."""
    a, b = np.array([1.0, grade]), np.array([1.0, 1.0])
    for measure in (codes, lambda _, known: cohen_kappa(b, a, "none", known)):
        with pytest.raises(ValueError, match="not among the categories"):
            measure(a, SCALE)
    with pytest.raises(ValueError, match="not among the categories"):
        confusion(a, b, SCALE)


def test_codes_are_places():
    """A code is the place among the categories; a missing grade has a code of its own."""
    got = codes(np.array([[2.0, NONE], [-2.0, 0.5]]), np.array([-2.0, 0.5, 2.0]))
    assert got.tolist() == [[2, UNGRADED], [0, 1]]
    assert codes(np.array([NONE]), np.array([])).tolist() == [UNGRADED]


@pytest.mark.parametrize("weights", WEIGHTS)
@given(matrices(judges=(2, 2)), st.randoms(use_true_random=False))
def test_cohen_knows_no_order_of_judges_and_documents(weights, grades, random):
    """Kappa is the same with the judges swapped, with documents in another order, and by codes."""
    a, b = grades
    order = random.sample(range(len(a)), len(a))
    expected = same(cohen_kappa(a, b, weights, SCALE))
    assert cohen_kappa(b, a, weights, SCALE) == expected
    assert cohen_kappa(a[order], b[order], weights, SCALE) == expected
    coded = codes(a, SCALE), codes(b, SCALE)
    assert kappa_of_codes(*coded, len(SCALE), weights) == expected


@given(matrices(judges=(1, 1)))
def test_perfect_agreement_is_exactly_1(grades):
    """Judges who give the same grades agree by exactly 1 in every measure that is defined."""
    grades = grades.repeat(3, axis=0)
    given_grades = grades[0][~np.isnan(grades[0])]
    n, expected = len(given_grades), 1.0 if len(set(given_grades)) > 1 else NONE
    exactly = pytest.approx((expected, n), rel=0, abs=0, nan_ok=True)
    for weights in WEIGHTS:
        assert cohen_kappa(grades[0], grades[1], weights, SCALE) == exactly
    for level in LEVELS:
        assert krippendorff_alpha(grades, level) == exactly
    fleiss = fleiss_kappa(grades)
    assert (fleiss.value, fleiss.n) == exactly
    assert fleiss.raters == (3 if n else 0)


def test_published_values_of_fleiss():
    """Fleiss' kappa is .430 for the data of Fleiss (1971) and .210 for Wikipedia's example."""
    diagnoses = np.array([[float(each) for each in row] for row in FLEISS_1971.split()]).T
    got = fleiss_kappa(diagnoses)
    assert (f"{got.value:.3f}", got.n, got.raters) == ("0.430", 30, 6)
    got = fleiss_kappa(np.stack([column_of(counts) for counts in WIKIPEDIA_FLEISS], axis=1))
    assert (f"{got.value:.3f}", got.n, got.raters) == ("0.210", 10, 14)


@given(matrices())
def test_fleiss_is_that_of_statsmodels(grades):
    """Fleiss' kappa is that of statsmodels for the documents with the commonest number of grades,
    two or more; of two that are as common, the larger.
    """
    documents = paired(grades)
    sizes = [len(document) for document in documents]
    raters = max(sizes, key=lambda size: (sizes.count(size), size), default=0)
    chosen = [document for document in documents if len(document) == raters]
    got = fleiss_kappa(grades)
    assert (got.n, got.raters) == (len(chosen), raters)
    if len({grade for document in chosen for grade in document}) < 2:
        assert math.isnan(got.value)
    else:
        table = [[document.count(grade) for grade in SCALE] for document in chosen]
        assert got.value == same(fleiss_of_statsmodels(table))


@pytest.mark.parametrize(
    ("ratings", "n", "raters"),
    [((2, 2, 3), 2, 2), ((2, 3, 3, 2), 2, 3), ((1, 1, 1, 4), 1, 4), ((1, 0), 0, 0)],
)
def test_fleiss_takes_the_documents_with_the_commonest_number_of_grades(ratings, n, raters):
    """Documents with one grade are never taken, however many they are; a tie takes more grades."""
    grades = np.where(np.arange(4)[:, np.newaxis] < ratings, np.eye(4)[:, : len(ratings)], NONE)
    got = fleiss_kappa(grades)
    assert (got.n, got.raters) == (n, raters)
    assert math.isnan(got.value) == (n == 0)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", "0.743"), ("ordinal", "0.815"), ("interval", "0.849")]
)
def test_published_values_of_krippendorff(level, published):
    """Alpha of the 4 observers and 12 units of Krippendorff (2011), of which 11 have two values."""
    value, n = krippendorff_alpha(KRIPPENDORFF_2011, level)
    assert (f"{value:.3f}", n) == (published, 11)


@pytest.mark.parametrize("level", LEVELS)
@given(matrices(judges=(1, 5)))
def test_alpha_is_that_of_the_package_krippendorff(level, grades):
    """Alpha is that of the package krippendorff, whatever is missing, and NaN where it has none."""
    assert krippendorff_alpha(grades, level) == same(alpha_of_krippendorff(grades, level))


@pytest.mark.parametrize("level", LEVELS)
@given(matrices(), st.randoms(use_true_random=False))
def test_alpha_knows_no_order_and_no_silence(level, grades, random):
    """Alpha is the same with judges and documents in another order, and with a judge and a
    document more that have no grades.
    """
    judges, documents = (random.sample(range(size), size) for size in grades.shape)
    expected = same(krippendorff_alpha(grades, level))
    assert krippendorff_alpha(grades[judges][:, documents], level) == expected
    more = np.pad(grades, ((1, 0), (0, 1)), constant_values=NONE)
    assert krippendorff_alpha(more, level) == expected


@given(matrices(), st.randoms(use_true_random=False))
def test_fleiss_knows_no_order_and_no_silence(grades, random):
    """Fleiss' kappa is the same whoever of the judges gave which of the grades of a document."""
    more = np.pad(grades, ((1, 0), (0, 1)), constant_values=NONE)
    shuffled = [random.sample(column.tolist(), len(column)) for column in more.T]
    expected, got = fleiss_kappa(grades), fleiss_kappa(np.array(shuffled).T)
    assert (got.value, got.n, got.raters) == same((expected.value, expected.n, expected.raters))


@given(
    matrices(grades=(0.0, 1.0, 2.0, 3.0)),
    st.sampled_from(((1e-300, 0.0), (3.0, -7.0), (1e307, -7.0), (0.125, 2.0**40))),
)
def test_alpha_knows_no_unit_of_the_grades(grades, unit):
    """Interval alpha is the same in another unit, however large, and with a zero far away."""
    factor, start = unit
    expected = same(krippendorff_alpha(grades, "interval"))
    assert krippendorff_alpha((grades + start) * factor, "interval") == expected


def test_the_levels_differ_as_they_should():
    """Of two judges one of whom is always a step above, alpha is better the more order counts, and
    the distance of the grades counts on the level of intervals alone.
    """
    grades = np.array([[0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]])
    nominal, ordinal, interval = (krippendorff_alpha(grades, level)[0] for level in LEVELS)
    assert nominal < 0 < min(ordinal, interval)
    stretched = np.exp(grades)
    assert krippendorff_alpha(stretched, "ordinal")[0] == same(ordinal)
    assert abs(krippendorff_alpha(stretched, "interval")[0] - interval) > 0.01


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 4), (2, 3)])
def test_nothing_graded(shape):
    """Without a grade every measure is NaN with n = 0, whatever the numbers of judges and
    documents.
    """
    grades = np.full(shape, NONE)
    for level in LEVELS:
        assert krippendorff_alpha(grades, level) == same((NONE, 0))
    got = fleiss_kappa(grades)
    assert math.isnan(got.value)
    assert got == Fleiss(got.value, 0, 0)


def test_many_different_grades_need_no_square_table():
    """Twenty thousand different grades are measured in less than 64 MB: a table of every grade
    with every other would be 3 GB.
    """
    grades = np.arange(40_000.0).reshape(2, 20_000) % 20_000.0
    grades[1] += 0.5
    tracemalloc.start()
    try:
        alphas = [krippendorff_alpha(grades, level)[0] for level in LEVELS]
        kappas = [cohen_kappa(*grades, weights)[0] for weights in WEIGHTS]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64e6
    assert alphas == pytest.approx([0, 1, 1], abs=1e-4)
    assert kappas == pytest.approx([0, 1, 1], abs=1e-4)
