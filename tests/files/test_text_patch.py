"""Grades written into text files: they change, and nothing else does."""

import codecs
import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.delimited import decode, records, split_lines
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.table import Dialect, FileError, Table
from ndcg_desktop.files.text_patch import NewRow, patch_text

QUERY_DOCUMENT_GRADE = Roles(query=0, document=1, grade=2)


def patched(data, edits, new_rows=(), roles=QUERY_DOCUMENT_GRADE, name="grades.csv"):
    """The bytes of a file, read as the program reads it, with these grades."""
    (table,) = read_bytes(Path(name), data)
    cells = {(row, roles.grade): grade for row, grade in edits.items()}
    return patch_text(Understood(table, roles), data, cells, new_rows)


# ---- delimited text


def test_only_the_grade_of_the_row_changes():
    """A grade is replaced in its row; every other byte stays."""
    data = b"query,doc,grade,note\nshoes,A,1,x\nshoes,B,,\n"

    assert patched(data, {2: 3.0}) == b"query,doc,grade,note\nshoes,A,3,x\nshoes,B,,\n"
    assert patched(data, {3: 2.5}) == b"query,doc,grade,note\nshoes,A,1,x\nshoes,B,2.5,\n"
    assert patched(data, {2: None}) == b"query,doc,grade,note\nshoes,A,,x\nshoes,B,,\n"


def test_no_edit_changes_nothing():
    """A cell that says the grade already keeps the way it is written."""
    data = b'query,doc,grade\nshoes,A,3.00\nshoes,B," 2"\nshoes,C,n/a\n'

    assert patched(data, {2: 3.0, 3: 2.0, 4: None}) == data


@pytest.mark.parametrize(
    ("old", "grade", "new"),
    [
        (b'"1"', 2.0, b'"2"'),
        (b'"1"', None, b'""'),
        (b'""', 2.0, b'"2"'),
        (b" 1 ", 2.0, b" 2 "),
        (b"  ", 2.0, b"  2"),
        (b'"1"x', 2.0, b'"2"'),
        (b"-1", 0.0, b"0"),
        (b"good", 1.0, b"1"),
    ],
)
def test_a_grade_is_written_as_the_one_before_it(old, grade, new):
    """Quotes and spaces round a grade stay; what else the cell held goes."""
    before, after = b"query,doc,grade\nshoes,A,1\nshoes,B,", b"\nshoes,C,2\n"

    assert patched(before + old + after, {3: grade}) == before + new + after


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_stay(end):
    """Line ends of any kind stay, and so does a missing one at the end."""
    data = end.join([b"query,doc,grade", b"shoes,A,1", b"", b"shoes,B,2"])

    assert patched(data, {2: 3.0}) == data.replace(b"A,1", b"A,3")
    assert patched(data, {4: 3.0}) == data.replace(b"B,2", b"B,3")


def test_a_record_of_several_lines_is_named_by_its_first():
    """Line breaks and delimiters within quotes do not mislead."""
    data = b'query,doc,note,grade\nshoes,A,"one,\ntwo ""x""\n",1\nshoes,B,,2\n'
    roles = Roles(query=0, document=1, grade=3)

    assert patched(data, {2: 3.0}, roles=roles) == data.replace(b'\n",1', b'\n",3')
    assert patched(data, {5: 3.0}, roles=roles) == data.replace(b",,2", b",,3")


def test_a_short_row_gets_the_delimiters_it_lacks():
    """A row that ends before the grade is filled up to it."""
    data = b"query,doc,note,grade\r\nshoes,A,,1\r\nshoes,B\r\nshoes,C,,2\r\n"
    roles = Roles(query=0, document=1, grade=3)

    assert patched(data, {3: 2.0}, roles=roles) == data.replace(b"B\r", b"B,,2\r")
    assert patched(data, {3: None}, roles=roles) == data


def test_decimal_commas_stay_in_use():
    """Where the file writes 2,5 so does the program, but not between bare commas."""
    semicolons = b"query;doc;grade\nshoes;A;2,5\nshoes;B;1\n"
    assert patched(semicolons, {3: 1.5}) == b"query;doc;grade\nshoes;A;2,5\nshoes;B;1,5\n"

    commas = b'query,doc,grade\nshoes,A,"2,5"\nshoes,B,1\nshoes,C,"0"\n'
    assert (
        patched(commas, {2: 0.5, 3: 1.5, 4: 2.5}, [NewRow("shoes", "D", 0.5)])
        == b'query,doc,grade\nshoes,A,"0,5"\nshoes,B,1.5\nshoes,C,"2,5"\nshoes,D,0.5\n'
    )


def test_a_decimal_point_that_is_the_delimiter_is_quoted():
    """A delimiter named by a sep= line may stand in a number."""
    data = b"sep=.\nquery.doc.grade\nshoes.A.1\nshoes.B.2\n"

    assert patched(data, {3: 2.5}) == data.replace(b"A.1", b'A."2.5"')


def test_german_excel_file(files):
    """UTF-8 with a mark, semicolons and decimal commas: all stay as Excel wrote them."""
    data = (files / "28-german-excel-bom-semicolon.csv").read_bytes()
    roles = Roles(query=0, document=1, grade=3, rank=2)

    assert patched(data, {2: 1.5, 7: 3.0}, roles=roles) == data.replace(
        b';2,5;"gut', b';1,5;"gut'
    ).replace(b"B-003;3;;", b"B-003;3;3;")


def test_sep_line_in_windows_encoding(files):
    """The sep= line and the old encoding stay; a new row is encoded likewise."""
    data = (files / "30-sep-line-cp1252.csv").read_bytes()
    roles = Roles(query=0, document=1, grade=3, rank=2)
    new = NewRow("vélo élec", "D4", 1.0)

    assert (
        patched(data, {5: 2.0}, [new], roles)
        == data.replace("non jugé".encode("cp1252"), b"2") + b"v\xe9lo \xe9lec;D4;;1\r\n"
    )


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (b"", "utf-16-le"),
        (codecs.BOM_UTF8, "utf-8"),
        (b"", "cp1252"),
    ],
)
def test_encodings_stay(mark, encoding):
    """The encoding stays, with its byte order mark and without."""
    text = "query;doc;grade\r\nvélo;Ä–1;1\r\nvélo;Ä–2;2\r\n"
    data = mark + text.encode(encoding)

    assert patched(data, {2: 3.0}) == mark + text.replace("1;1", "1;3").encode(encoding)


def test_bytes_that_mean_nothing_in_windows_stay():
    """Bytes of no known encoding are kept as they are."""
    data = b"query,doc,grade\nv\xe9lo \x81\x9d,A,1\nv\xe9lo,B,2\n"

    assert patched(data, {2: 3.0}) == data.replace(b"A,1", b"A,3")


def test_quotes_without_meaning_stay():
    """In tab-separated text an inch mark is a letter like any other."""
    data = b'query\tdoc\tgrade\n5" pipe\tA\t1\n"half\tB\t2\n'

    assert patched(data, {2: 3.0}, [NewRow('6" pipe', "C", 1.0)]) == (
        b'query\tdoc\tgrade\n5" pipe\tA\t3\n"half\tB\t2\n6" pipe\tC\t1\n'
    )
    with pytest.raises(FileError, match="no quotes"):
        patched(data, {}, [NewRow("a\tb", "C", 1.0)])


def test_a_row_that_is_not_there_is_refused():
    """An edit of a row without a judgment is refused, and the row named."""
    data = b"query,doc,grade\nshoes,A,1\n\nshoes,B,2\n"
    for row in (3, 9):
        with pytest.raises(FileError, match=rf"grades\.csv, row {row}: .*Save as"):
            patched(data, {row: 1.0})


def test_a_quote_left_open_is_refused():
    """A record whose fields cannot be told apart stays as it is."""
    data = b'query,doc,note,grade\nshoes,A,,1\nshoes,B,"open\n'
    roles = Roles(query=0, document=1, grade=3)
    with pytest.raises(FileError, match=r"row 3: .*Save as"):
        patched(data, {3: 2.0}, roles=roles)
    with pytest.raises(FileError, match="New rows cannot be added"):
        patched(data, {}, [NewRow("shoes", "C", 2.0)], roles)


def test_text_that_does_not_come_back_is_refused(monkeypatch):
    """Were an encoding not to give the same bytes again, nothing would be written."""
    data = b"query,doc,grade\nshoes,A,1\nshoes,B,2\n"
    monkeypatch.setattr(
        "ndcg_desktop.files.text_patch.decode", lambda path, data, _: (data.decode() + "!", "utf-8")
    )
    with pytest.raises(FileError, match=r"encoding .* Save as"):
        patched(data, {2: 3.0})


def test_new_rows_come_last_in_the_files_own_form():
    """A new row has its texts in their columns, quoted where needed, and no rank."""
    data = b"rank;doc;title;query;grade\r\n1;A;x;shoes;1\r\n2;B;x;shoes;2"
    roles = Roles(query=3, document=1, grade=4, rank=0)
    new = [NewRow('red "hat"', "C;1", 2.0), NewRow("shoes", "D", 0.5)]

    assert (
        patched(data, {3: 3.0}, new, roles)
        == b"rank;doc;title;query;grade\r\n1;A;x;shoes;1\r\n2;B;x;shoes;3\r\n"
        b';"C;1";;"red ""hat""";2\r\n;D;;shoes;0.5'
    )


def test_a_table_of_one_query_gets_no_query():
    """Without a column for queries a new row has none."""
    data = b"doc,grade\nA,1\nB,2\n"
    roles = Roles(document=0, grade=1)

    assert patched(data, {}, [NewRow("grades", "C", 3.0)], roles) == data + b"C,3\n"


def test_a_letter_that_the_encoding_lacks_is_refused():
    """A new document that the file's encoding cannot write is refused, and the letter shown."""
    data = "query,doc,grade\nvélo,A,1\nvélo,B,2\n".encode("cp1252")
    with pytest.raises(FileError, match=r"“Ж” cannot be added.*cp1252"):
        patched(data, {}, [NewRow("vélo", "AЖ", 1.0)])


def test_a_file_whose_encoding_would_read_as_another_is_refused():
    """Where the one letter that tells the encoding goes, other letters would turn into others."""
    data = "query,doc,grade\nÃ¼bel,A,1\nÃ¼bel,B,Ü\n".encode("cp1252")
    with pytest.raises(FileError, match="encoding"):
        patched(data, {3: 2.0})


# ---- qrels and LTR

QRELS = b"# judged in May\n1 0 A 2\n1\t0  B 0 \r\n2 0 C 1"


def test_a_qrels_grade_is_replaced_in_its_line():
    """Comments, spacing and line ends of a qrels file stay."""
    roles = Roles(query=0, document=2, grade=3)

    new = patched(QRELS, {2: 3.0, 3: 1.5, 4: 1.0}, roles=roles)

    assert new == b"# judged in May\n1 0 A 3\n1\t0  B 1.5 \r\n2 0 C 1"


def test_a_qrels_line_goes_with_its_grade():
    """A file that cannot say “not judged” leaves the document out."""
    roles = Roles(query=0, document=2, grade=3)

    assert patched(QRELS, {3: None}, roles=roles) == b"# judged in May\n1 0 A 2\n2 0 C 1"
    assert patched(QRELS, {4: None}, roles=roles) == QRELS.removesuffix(b"2 0 C 1")


def test_a_quoted_qrels_grade_keeps_its_quotes():
    """Some programs put quotes round every field."""
    roles = Roles(query=0, document=2, grade=3)
    data = b'q1 0 A "2"\nq1 0 B "1"\n'

    assert patched(data, {1: 3.0}, roles=roles) == data.replace(b'"2"', b'"3"')


@pytest.mark.parametrize("separator", [b" ", b"\t"])
def test_new_qrels_lines_are_separated_as_the_others(separator):
    """A new judgment has tabs where the file has, and the file's line end before it."""
    roles = Roles(query=0, document=2, grade=3)
    data = b"\r\n".join(separator.join([b"q1", b"0", name, b"1"]) for name in (b"A", b"B"))

    new = patched(data, {}, [NewRow("q2", "C", 2.0)], roles)

    assert new == data + b"\r\n" + separator.join([b"q2", b"0", b"C", b"2"])


@pytest.mark.parametrize("text", ["two words", "", "tab\tin", "line\nbreak", "no\u00a0break"])
def test_ids_of_several_words_are_refused_in_qrels(text):
    """An id with white space would read as two fields."""
    roles = Roles(query=0, document=2, grade=3)
    for new in (NewRow(text, "C", 1.0), NewRow("q1", text, 1.0)):
        with pytest.raises(FileError, match="one word"):
            patched(QRELS, {}, [new], roles)


def test_a_qrels_row_that_is_not_there_is_refused():
    """A comment, and a line past the end, hold no grade."""
    roles = Roles(query=0, document=2, grade=3)
    for row in (1, 9):
        with pytest.raises(FileError, match=f"row {row}: "):
            patched(QRELS, {row: 1.0}, roles=roles)


LTR = b"# grade qid # doc\n2 qid:1 1:0.5 2:3 # A first\n 0  qid:1 # B\n1 qid:2 # C\n"
LTR_ROLES = Roles(query=1, query_text=2, document=3, grade=0)


def test_an_ltr_grade_is_replaced_in_its_line():
    """Features, titles and spacing of a judgment list stay."""
    new = patched(LTR, {2: 3.0, 3: 2.0}, roles=LTR_ROLES)

    assert new == LTR.replace(b"2 qid:1", b"3 qid:1").replace(b" 0  qid", b" 2  qid")


def test_an_ltr_line_goes_with_its_grade_and_new_ones_come_last():
    """A judgment taken back is left out; a new one is added in the same form."""
    new = patched(LTR, {4: None}, [NewRow("2", "D", 1.0)], LTR_ROLES)

    assert new == LTR.replace(b"1 qid:2 # C\n", b"1 qid:2 # D\n")


def test_ltr_documents_named_after_their_lines_keep_their_names(files):
    """Where a removed line would rename the documents below it, it is refused; the last may go."""
    data = (files / "07-libsvm-mslr-no-docid.txt").read_bytes()
    last = data.count(b"\n")
    with pytest.raises(FileError, match=r"row 3: .*other names"):
        patched(data, {3: None}, roles=LTR_ROLES)

    assert patched(data, {last: None}, roles=LTR_ROLES) == b"".join(
        data.splitlines(keepends=True)[:-1]
    )


def test_a_grade_that_ltr_cannot_hold_is_refused():
    """The format knows no exponents."""
    with pytest.raises(FileError, match="row 2: "):
        patched(LTR, {2: 1e-7}, roles=LTR_ROLES)


# ---- any delimited text

ENCODINGS = {
    "utf-8": b"",
    "utf-8 with a mark": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "cp1252": b"",
}
LETTERS = "ab 12,;\t|\"'\r\n=é–ß"
NAME = Path("any.csv")


@st.composite
def styled(draw, text, delimiter, quoting):
    """A field written with quotes, or without where it needs none."""
    if not quoting:
        return text
    bare = not text.startswith('"') and not any(mark in text for mark in (delimiter, "\r", "\n"))
    if bare and draw(st.booleans()):
        return text
    return '"' + text.replace('"', '""') + '"'


@st.composite
def texts(draw):
    """A file of delimited text in some style, its dialect, and how many columns it has."""
    delimiter = draw(st.sampled_from(",;\t|"))
    quoting = draw(st.booleans()) or delimiter != "\t"
    letters = LETTERS if quoting else LETTERS.translate(str.maketrans("", "", "\t\r\n"))
    width = draw(st.integers(2, 4))
    field = st.text(letters, max_size=6) | st.sampled_from(["1", "2,5", "", " 3 ", "0.5"])
    rows = draw(st.lists(st.lists(field, min_size=2, max_size=width + 1), min_size=1, max_size=6))
    lines = draw(st.sampled_from([[], [f"sep={delimiter}"]]))
    first_line = len(lines)
    for row in rows:
        lines.append(delimiter.join(draw(styled(text, delimiter, quoting)) for text in row))
        lines += [""] * draw(st.integers(0, 1))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    encoding = draw(st.sampled_from(list(ENCODINGS)))
    data = ENCODINGS[encoding] + text.encode(encoding.split()[0])
    return data, Dialect(decode(NAME, data)[1], delimiter, quoting, first_line), width


def raw_records(data, dialect):
    """What stands above the records, and each one's row, fields and text with the line end."""
    text, _ = decode(NAME, data)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = split_lines(text.removeprefix(mark))
    found = [
        (begin + 1, fields, "".join(lines[begin:end]))
        for fields, begin, end in records(lines, dialect)
    ]
    return mark + "".join(lines[: dialect.first_line]), found


def table_of(dialect, rows, columns):
    """A table as the reader makes it."""
    row = np.array(rows, dtype=np.int32)
    return Table(NAME, "delimited", None, tuple(columns), row, dialect=dialect)


@given(texts(), st.data())
def test_of_any_text_only_the_grades_change(made, draws):
    """Whatever the style, an edited record keeps its other fields, and the rest its bytes."""
    data, dialect, width = made
    column = draws.draw(st.integers(0, width - 1), label="column")
    head, before = raw_records(data, dialect)
    before = [(row, fields + [""] * (column + 1 - len(fields)), raw) for row, fields, raw in before]
    rows = [row for row, fields, _ in before if any(text.strip() for text in fields)]
    grades = st.none() | st.sampled_from([0.0, 1.0, 3.0, -1.0, 2.5])
    edits = draws.draw(st.dictionaries(st.sampled_from(rows), grades) if rows else st.just({}))
    cells = [fields[column] for _, fields, _ in before]
    table = table_of(dialect, rows, [cells] * width)

    try:
        roles = Roles(query=0, document=1, grade=column)
        cells = {(row, column): grade for row, grade in edits.items()}
        new = patch_text(Understood(table, roles), data, cells, ())
    except FileError as error:
        if "encoding" not in error.problem:
            raise
        return

    new_head, after = raw_records(new, dialect)
    assert new_head == head
    assert len(after) == len(before)
    for (row, old_fields, old_raw), (_, fields, raw) in zip(before, after, strict=True):
        if row in edits and raw != old_raw:
            assert fields[:column] == old_fields[:column]
            assert fields[column + 1 :] == old_fields[column + 1 :]
            assert number(fields[column]) == edits[row]
        else:
            assert raw == old_raw
            assert row not in edits or number(old_fields[column]) == edits[row]


@given(texts(), st.text(LETTERS, min_size=1), st.text(LETTERS, min_size=1))
def test_below_any_text_a_row_can_be_added(made, query, document):
    """A new row is read back as it was given, and all above it keeps its bytes."""
    data, dialect, width = made
    table = table_of(dialect, [], [[]] * (width + 1))
    roles = Roles(query=0, document=1, grade=width)
    try:
        part = Understood(table, roles)
        new = patch_text(part, data, {}, [NewRow(query, document, 2.0)])
    except FileError:
        assert any(mark in query + document for mark in "\t\r\n")
        assert not dialect.quoting
        return

    assert new.startswith(data)
    added = decode(NAME, new)[0][len(decode(NAME, data)[0]) :]
    quoting = csv.QUOTE_MINIMAL if dialect.quoting else csv.QUOTE_NONE
    lines = io.StringIO(added, newline="")
    rows = list(csv.reader(lines, delimiter=dialect.delimiter, quoting=quoting))
    assert [row for row in rows if row] == [[query, document, *[""] * (width - 2), "2"]]
