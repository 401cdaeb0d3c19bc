"""Ids that a spreadsheet damaged are told, and ids that only look odd are not."""

import pytest
from build import joined, judgment_columns, ranking_columns

from ndcg_desktop.evaluation import checks_ids
from ndcg_desktop.evaluation.join import join


def told(documents, code, graded=True):
    """The findings of a code for judgments, or a ranking, of these documents."""
    judgments = [("q", document, 1) for document in documents] if graded else [("q", "A", 1)]
    ranking = [] if graded else [("q", document) for document in documents]
    _, findings = joined(judgments, ranking)
    return [finding for finding in findings if finding.code == code]


def place(findings):
    """Level, file and row of each."""
    return [(each.level, each.source.file, each.row) for each in findings]


OTHERS = ["B000123", "B000124", "B000125", "B000126", "B000127", "B000128"]


@pytest.mark.parametrize("text", ["4.00638E+12", "1.23E+18", "4,00638E+12", "4e+12", "4.1e+18"])
def test_shortened_numbers(text):
    """A number in the scientific notation of a spreadsheet is told with its row."""
    assert place(told(["A", text], "id-scientific")) == [("warning", "judgments.csv", 3)]
    assert place(told(["A", text], "id-scientific", graded=False)) == [("warning", "run.csv", 3)]


@pytest.mark.parametrize("text", ["1e5", "12E", "E+12", "4.00638E-12x", "4.5", "A4.00638E+12"])
def test_what_is_not_shortened(text):
    """Ids that only remind of such numbers are ids."""
    assert told(["A", text], "id-scientific") == []


def test_a_shortened_number_with_contradicting_grades():
    """That two documents have become one shows in their grades, and is said."""
    rows = [("q", "4.00638E+12", 3), ("q", "4.00638E+12", 0), ("p", "4.00639E+12", 1)]
    _, findings = joined(rows)
    first, second = (each.text for each in findings if each.code == "id-scientific")
    assert "“4.00638E+12”, in 2 rows" in first
    assert "different grades" in first
    assert "different grades" not in second


def test_a_table_that_is_both_is_told_once():
    """The ids of a table of judgments and ranks are not told for each of the two."""
    judgments = judgment_columns([("q", "4.00638E+12", 3)], "both.csv")
    for file, count in (("both.csv", 1), ("run.csv", 2)):
        ranking = ranking_columns([("q", "4.00638E+12")], file)
        _, findings = join([judgments], [ranking])
        assert [each.code for each in findings] == ["id-scientific"] * count


def test_rounded_numbers():
    """Several ids of more than 15 digits that all end in zeros are told in one finding."""
    rounded = ["1234567890123450000", "9876543210987650000"]
    (finding,) = told(["A", *rounded], "id-rounded")
    assert finding.row == 3
    assert "2 long document ids" in finding.text
    assert told(["A", rounded[0]], "id-rounded") == []
    assert told([*rounded, "1234567890123456789"], "id-rounded") == []
    assert told(["1234567890123450", "1234567890123460"], "id-rounded") == []
    assert told(["123450000000000", "123460000000000"], "id-rounded") == []


@pytest.mark.parametrize(
    "text",
    [
        *("Mar-04", "04-Mar", "4-Mar-24", "04. Mrz", "Mär-04", "03.04.2024", "3/4/2024"),
        *("2024-03-04", "2024-03-04T00:00:00"),
    ],
)
def test_dates(text):
    """A date among other ids is told; ids that are all dates are meant so."""
    (finding,) = told([*OTHERS, text], "id-date")
    assert (finding.level, finding.row) == ("warning", len(OTHERS) + 2)
    assert f"“{text}”" in finding.text
    assert told([text, "2024-01-01", "A"], "id-date") == []


@pytest.mark.parametrize("text", ["Marble-04", "MAR-0412", "3-4", "1.2.3", "20240304", "may"])
def test_what_is_no_date(text):
    """Ids that only remind of dates are ids."""
    assert told([*OTHERS, text], "id-date") == []


def test_lost_zeros():
    """Among numbers of one length, some with leading zeros, shorter ones are told."""
    whole = ["00121", "00437", "01200", "20413", "31415", "92653", "58979", "32384"]
    (finding,) = told([*whole, "87", "954"], "id-lost-zeros")
    assert finding.row == len(whole) + 2
    assert "“00087”" in finding.text
    assert told([*whole, "87", "054"], "id-lost-zeros") == []
    assert told([*whole, "123456"], "id-lost-zeros") == []
    assert told(whole, "id-lost-zeros") == []
    assert told([str(number) for number in range(1, 150)], "id-lost-zeros") == []
    assert told([*whole, "0x87", "87"], "id-lost-zeros") == []


@pytest.mark.parametrize("text", ["NULL", "#N/A", "TRUE", "nan", "None", "NA", "-"])
def test_placeholders(text):
    """Such a word is an id; but where nearly all rows have the same, that is told."""
    rows = [(text, f"d{number}", 1) for number in range(10)]
    _, findings = joined(rows)
    (finding,) = [each for each in findings if each.code == "id-placeholder"]
    assert (finding.level, finding.row) == ("warning", 2)
    assert "100% of the rows" in finding.text
    _, findings = joined([*rows[:8], ("a", "A", 1), ("b", "A", 1)])
    assert findings == []


def test_very_many_are_cut_short():
    """Past a number of ids one finding says how many more there are."""
    many = [f"{number}.1E+12" for number in range(1, 10)]
    many += [f"{number}.2E+12" for number in range(1, 10)] + ["1.3E+12", "1.4E+12", "1.5E+12"]
    found = told(many, "id-scientific")
    assert len(found) == checks_ids.MOST_IDS + 1
    assert found[-1].text == "… and 1 more ids."


def test_a_long_table_is_sampled(monkeypatch):
    """Of a table beyond a size rows evenly spread are looked at, and their numbers are right."""
    monkeypatch.setattr(checks_ids, "MOST_ROWS", 10)
    documents = [f"D{number}" for number in range(30)]
    documents[15] = "4.00638E+12"
    assert place(told(documents, "id-scientific")) == [("warning", "judgments.csv", 17)]
    documents[15], documents[16] = documents[16], documents[15]
    assert told(documents, "id-scientific") == []


def test_ids_of_several_lines():
    """An id with a line break is one id, and those after it keep their rows."""
    assert place(told(["a\nb", "A", "1.23E+18"], "id-scientific")) == [
        ("warning", "judgments.csv", 4)
    ]
    assert place(told(["4.1\nE+12", "A-B\n1", "1.23E+18"], "id-scientific")) == [
        ("warning", "judgments.csv", 4)
    ]


@pytest.mark.parametrize("text", ["#REF!", "#NAME?", "#VALUE!", "#DIV/0!", "#ref!"])
def test_errors_of_formulas(text):
    """The error of a formula is never an id: each is told with its row, also as a query."""
    (finding,) = told([*OTHERS, text], "id-error")
    assert (finding.level, finding.row) == ("warning", len(OTHERS) + 2)
    assert f"“{text}”, in 1 row" in finding.text
    _, findings = joined([("q", "A", 1), (text, "A", 1), (text, "B", 1)])
    assert [(each.code, each.row) for each in findings] == [("id-error", 3)]


def test_not_available():
    """#N/A is an error where it stands for a document of several queries, else it may be an id."""
    rows = [("a", "#N/A", 1), ("a", "B", 0), ("b", "#N/A", 2)]
    _, findings = joined(rows)
    assert [(each.code, each.row) for each in findings] == [("id-error", 2)]
    for once in (
        rows[:2],
        [("#N/A", "A", 1), ("#N/A", "B", 1)],
        [("a", "NULL", 1), ("b", "NULL", 1)],
    ):
        assert [each for each in joined(once)[1] if each.code == "id-error"] == []
