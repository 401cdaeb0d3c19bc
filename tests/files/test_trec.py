"""TREC qrels and runs, against split() and float() and against files as people have them."""

import gzip
import math
import re
import struct
import tracemalloc
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ndcg_desktop.evaluation import ids
from ndcg_desktop.files import trec
from ndcg_desktop.files.table import Cancelled
from ndcg_desktop.files.trec import looks_like, read_qrels, read_run

KINDS = {
    "08-qrels-negative-grades.txt": "qrels",
    "09-run-6col-trailing-text.txt": "run",
    "10-qrels-tied.txt": "qrels",
    "10-run-tied-scores.txt": "run",
    "11-qrels-subtopics.txt": "qrels",
    "11-run.txt": "run",
    "12-msmarco-qrels-4col.tsv": "qrels",
    "49-qrels-qid-suffix.txt": "qrels",
    "49-run-qid-nosuffix.txt": "run",
    "50-qrels-comments-and-hash-ids.txt": "qrels",
    "50-run.txt.gz": "run",
}
"""The sample files that are qrels or runs; all others are neither."""

BLANK = st.text(" \t", min_size=1, max_size=3)
ID = st.text("ab#.é0", min_size=1, max_size=12) | st.just("x" * 300)
NUMBER = st.one_of(
    st.floats().map(repr),
    st.integers(-20, 10**6).map(str),
    st.decimals(-100, 100, places=5).map(str),
    st.text("0123456789.", min_size=1, max_size=20),
    st.text('0123456789.-+e_"', min_size=1, max_size=8),
    st.sampled_from(["1e5", "-2.5E-3", "inf", "-inf", "nan", "+1", "1_0", "-", ".", "-.5", "é"]),
)
FIELD = ID | NUMBER


@st.composite
def lines(draw):
    """Return a line of fields set apart by blanks, those of a qrels or run file or any."""
    kind = draw(st.sampled_from(["qrels", "run", "any", "comment"]))
    if kind == "qrels":
        grade = draw(NUMBER)
        fields = [draw(ID), "0", draw(ID), draw(st.sampled_from([grade, f'"{grade}"']))]
    elif kind == "run":
        tail = draw(st.lists(ID, max_size=3))
        fields = [draw(ID), "Q0", draw(ID), draw(FIELD), draw(NUMBER), *tail]
    else:
        fields = draw(st.lists(FIELD, max_size=7))
    text = "".join(draw(BLANK) + each for each in fields)
    text = text if draw(st.booleans()) else text.lstrip()
    start = "# " if kind == "comment" else ""
    return start + text + draw(st.sampled_from(["", " ", "\0", "\t\t"]))


@st.composite
def regular(draw):
    """Return lines that all have the same number of fields, most with one blank between two."""
    width = draw(st.sampled_from([4, 5, 6]))
    row = st.tuples(ID, st.just("0"), ID, NUMBER, NUMBER, ID).map(lambda fields: fields[:width])
    return [draw(st.sampled_from([" ", " ", "\t", "  "])).join(draw(row)) for _ in range(5)]


@st.composite
def contents(draw):
    """Return the bytes of a file of such lines."""
    text = draw(st.sampled_from(["\n", "\n", "\r\n"])).join(
        draw(st.lists(lines(), max_size=12) | regular())
    )
    start, end = draw(st.sampled_from(["", "\ufeff"])), draw(st.sampled_from(["", "\n"]))
    return (start + text + end).encode()


def number(text):
    """Return what float() makes of a text, NaN where it makes nothing."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def reference(data, row):
    """Read by split(): rows with their line numbers, lines that are bad, and comments.

    ``row`` makes a row of fields, or None.
    """
    rows, bad, comments = [], [], []
    for place, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        fields = [each for each in re.split(rb"[\0-\x20]+", line) if each]
        values = None if b"\0" in line else row(fields)
        if values is not None:
            rows.append((place, *values))
        elif line.strip(b" \t\r").startswith((b"#", b"//")):
            comments.append(place)
        elif fields or b"\0" in line:
            bad.append(place)
    return rows, bad, comments


def qrels_row(fields):
    """Return query, subtopic, document and grade."""
    if len(fields) != 4:
        return None
    quoted = len(fields[3]) > 1 and fields[3].startswith(b'"') and fields[3].endswith(b'"')
    grade = number(fields[3][1:-1] if quoted else fields[3])
    return (*(each.decode() for each in fields[:3]), exact(grade)) if math.isfinite(grade) else None


def run_row(fields):
    """Return query, document, rank and score."""
    if len(fields) < 5 or math.isnan(number(fields[4])):
        return None
    return fields[0].decode(), fields[2].decode(), *(exact(number(each)) for each in fields[3:5])


def exact(value):
    """Return a float's bits, all NaN being one, so that equal means the same and 0 is not -0."""
    return struct.pack("d", math.nan if math.isnan(value) else value)


def all_exact(values):
    """Return the bits of every value."""
    return [exact(value) for value in values.tolist()]


@contextmanager
def chunks_of(size):
    """Read in chunks of so many bytes."""
    with mock.patch.object(trec, "CHUNK", size), mock.patch.object(trec, "PIECE", size):
        yield


def read_scores(texts):
    """Return the scores that these texts are read as."""
    return read_run("".join(f"q Q0 d 1 {text} t\n" for text in texts).encode()).score


@pytest.mark.parametrize("size", [16, trec.CHUNK])
@given(contents())
@example(b"q 0 d 1 9\nq 0 d\nq 0 d 1\n")
def test_qrels_like_split(size, data):
    """Any file of qrels lines, good and bad, reads as by split() and float()."""
    rows, bad, comments = reference(data, qrels_row)
    with chunks_of(size):
        qrels = read_qrels(data)
    found = zip(
        qrels.line.tolist(),
        qrels.query.texts(),
        qrels.subtopic.texts(),
        qrels.document.texts(),
        all_exact(qrels.grade),
        strict=True,
    )
    assert list(found) == rows
    assert [line.line for line in qrels.bad] == bad
    assert qrels.left_out == len(bad)
    assert qrels.comments == comments
    assert qrels.hash_data == [row[0] for row in rows if row[1].startswith("#")]


@pytest.mark.parametrize("size", [16, trec.CHUNK])
@given(contents())
@example(b"q 0 d 1 2 t x\nq 0 d 1 2\nq 0 d 1 2 t\n")
def test_runs_like_split(size, data):
    """Any file of run lines, good and bad, reads as by split() and float()."""
    rows, bad, comments = reference(data, run_row)
    with chunks_of(size):
        run = read_run(data)
    found = zip(
        run.line.tolist(),
        run.query.texts(),
        run.document.texts(),
        all_exact(run.rank),
        all_exact(run.score),
        strict=True,
    )
    assert list(found) == rows
    assert [line.line for line in run.bad] == bad
    assert run.left_out == len(bad)
    assert run.comments == comments


@given(st.lists(NUMBER, min_size=1))
@example(["9007199254740992", "9007199254740993", "0.9007199254740993", "9999999999999999"])
@example(["12345678", "123456789", "1234567890123456", "12345678901234567", "0.1"])
@example(["1.2345678.9", "1.2.3", "12345678.", ".12345678", "1.23456789", "12.", "..", "-.", "--1"])
@example(["5e-324", "1e308", "1e400", "-0", "-0.0", "000000000000.1", "1/2", "1:2", "12345678/9"])
def test_numbers_like_float(texts):
    """Numbers of every form are read to the last bit as float() reads them."""
    values = [number(text.encode()) for text in texts]
    expected = [exact(value) for value in values if not math.isnan(value)]
    assert all_exact(read_scores(texts)) == expected


def test_many_decimals_like_float():
    """Thousands of decimals of all lengths and with the point everywhere read as by float()."""
    rng = np.random.default_rng(3)
    digits = ["".join(map(str, rng.integers(0, 10, size))) for size in range(1, 18)] * 40
    texts = [d[:at] + "." + d[at:] for d in digits for at in (0, len(d) // 3, len(d) - 1, len(d))]
    texts += ["-" + text for text in texts]
    assert all_exact(read_scores(texts)) == [exact(float(text)) for text in texts]


def test_fields_of_a_run():
    """A run's fields are set apart by any blanks, and what follows the tag is left out."""
    run = read_run(
        b"q1 Q0 d1 1 2.5\nq1\tQ0  d2\t x  -1e1 tag more words\r\n\n \t\nq2 Q0 d1 3 inf t"
    )
    assert run.query.texts() == ["q1", "q1", "q2"]
    assert run.document.texts() == ["d1", "d2", "d1"]
    assert run.rank.tolist()[::2] == [1, 3]
    assert math.isnan(run.rank[1])
    assert run.score.tolist() == [2.5, -10, math.inf]
    assert run.line.tolist() == [1, 2, 5]
    assert run.tag == "tag"
    assert not run.bad


def test_runs_without_q0():
    """A run of query, document, rank, score and tag reads as one with Q0 does."""
    data = b"q d1 1 2.5 bm25\n# note\nq d2 2 x bm25\nr d3 1\nr d4 1 -1 bm25\n"
    run = read_run(data, form=trec.WITHOUT_Q0)
    assert run.query.texts() == ["q", "r"]
    assert run.document.texts() == ["d1", "d4"]
    assert (run.rank.tolist(), run.score.tolist()) == ([1, 1], [2.5, -1])
    assert (run.line.tolist(), run.comments, run.tag) == ([1, 5], [2], "bm25")
    assert [line.line for line in run.bad] == [3, 4]
    assert "“x”" in run.bad[0].problem
    assert "5 fields" in run.bad[1].problem


def test_slashes_are_comments():
    """A line that begins with // and is no data is a comment."""
    qrels = read_qrels(b"// by hand\nq 0 d 1\n//x\n// 0 d 2\n")
    assert (qrels.comments, qrels.bad, qrels.query.texts()) == ([1, 3], [], ["q", "//"])


def test_bad_lines_say_what_is_wrong():
    """A line that does not read is kept with its number, its text and the reason."""
    qrels = read_qrels(b"q 0 d\nq 0 d x\nq 0 d inf\nq 0 d 1\nq 0 \0 1\n")
    assert [(line.line, line.text) for line in qrels.bad[:3]] == [
        (1, "q 0 d"),
        (2, "q 0 d x"),
        (3, "q 0 d inf"),
    ]
    assert "4 fields" in qrels.bad[0].problem
    assert "“x”" in qrels.bad[1].problem
    assert "“inf”" in qrels.bad[2].problem
    assert "not text" in qrels.bad[3].problem
    run = read_run(b"q Q0 d 1\nq Q0 d 1 nan t\n")
    assert "6 fields" in run.bad[0].problem
    assert "“nan”" in run.bad[1].problem


def test_bad_lines_are_kept_up_to_a_number():
    """A file of nothing but bad lines costs no more memory than its first ones."""
    qrels = read_qrels(b"q 0 d\n" * (trec.MOST_BAD + 5))
    assert len(qrels.bad) == trec.MOST_BAD
    assert qrels.left_out == trec.MOST_BAD + 5


def test_hash_lines():
    """A line that begins with "#" is a comment, unless it reads as data, which is flagged."""
    qrels = read_qrels(b"# a remark\n#tag 0 d 1\n # x\nq 0 d#1 2\n#\n")
    assert qrels.comments == [1, 3, 5]
    assert qrels.hash_data == [2]
    assert qrels.query.texts() == ["#tag", "q"]
    assert qrels.document.texts() == ["d", "d#1"]


def test_quoted_grades():
    """A grade in double quotes is a number; half a pair of quotes is not."""
    qrels = read_qrels(b'q 0 d "2"\nq 0 d "-1.5"\nq 0 d "\nq 0 d 2"\nq 0 d ""\n')
    assert qrels.grade.tolist() == [2, -1.5]
    assert [line.line for line in qrels.bad] == [3, 4, 5]


@pytest.mark.parametrize("byte", [b"x", b" ", b"\0", b"1 "])
def test_huge_line(byte):
    """A line of 10 MB is a bad line, is not held in memory, and does not harm its neighbours."""
    good = b"q Q0 d 1 2 t\n"
    data = good + byte * (10_000_000 // len(byte)) + b"\n" + good
    tracemalloc.start()
    run = read_run(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert run.line.tolist() == [1, 3]
    assert [line.line for line in run.bad] == [2]
    assert len(run.bad[0].text) <= 200
    assert peak < 40_000_000


@pytest.mark.parametrize("size", [64, trec.CHUNK])
@pytest.mark.parametrize("over", [0, 1])
def test_longest_line(size, over):
    """A line of up to LONGEST_LINE bytes is data, whatever the chunks, and none longer is."""
    good = b"q Q0 d 1 2 t\n"
    long = b"q Q0 " + b"d" * (trec.LONGEST_LINE + over - 13) + b" 1 2 tag"
    with chunks_of(size):
        run = read_run(good + long + b"\n" + good)
    assert run.line.tolist() == ([1, 3] if over else [1, 2, 3])


def test_empty_files():
    """A file of nothing, of a byte order mark or of blank lines has no rows."""
    for data in (b"", b"\xef\xbb\xbf", b"\n\r\n \t"):
        assert len(read_qrels(data).query) == len(read_run(data).query) == 0


def test_ids_share_the_buffer(tmp_path):
    """Ids stand in the bytes that were passed, also in those of a mapped file."""
    path = tmp_path / "run.txt"
    path.write_bytes(b"q Q0 d 1 2")
    data = np.memmap(path, dtype=np.uint8, mode="r")
    run = read_run(data)
    assert run.query.texts() + run.document.texts() == ["q", "d"]
    assert np.shares_memory(run.query.buffer, data)
    assert run.document.hashes().tolist() == ids.Ids.from_texts(["d"]).hashes().tolist()


def test_large_files_count_in_64_bits():
    """Places in a buffer that is too large for 32 bits are kept in 64."""
    data = b"q 0 d 1\n" * 4
    with mock.patch.object(ids, "MOST_INT32", len(data) - 1):
        assert read_qrels(data).document.start.dtype == np.int64
    assert read_qrels(data).document.start.dtype == np.int32


@pytest.mark.parametrize("size", [1, 8, trec.CHUNK])
def test_other_encodings(size):
    """Bytes that are not UTF-8 are Windows-1252; valid UTF-8 is not, wherever it is cut."""
    for text, encoding in [
        ("q 0 é€ 1\n", "cp1252"),
        ("q 0 Ãa© 1\n", "cp1252"),
        ("q 0 é€ 1\n", "utf-8"),
        ("q 0 ab漢字 1\nr 0 d 2\n", "utf-8"),
    ]:
        with chunks_of(size):
            assert read_qrels(text.encode(encoding)).document[0] == text.split()[2]


def test_cancel():
    """Reading stops between two chunks once it is cancelled."""
    looks = iter([False, False, True])
    with chunks_of(64), pytest.raises(Cancelled):
        read_run(b"q Q0 d 1 2 t\n" * 100, cancelled=lambda: next(looks))


def test_progress():
    """The part that is done grows to 1."""
    done = []
    with chunks_of(64):
        read_qrels(b"q 0 d 1\n" * 100, progress=done.append)
    assert done == sorted(done)
    assert len(done) > 10
    assert done[-1] == 1


def test_sample_files_are_told_apart(files):
    """Every sample file is taken for what it is."""
    for path in sorted(files.iterdir()):
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        assert looks_like(data[: trec.HEAD]) == KINDS.get(path.name), path.name


def test_sample_qrels(files):
    """The sample qrels hold what was written into them."""
    negative = read_qrels((files / "08-qrels-negative-grades.txt").read_bytes())
    assert negative.grade.tolist() == [2, -2, 1, 0, 3, -2, -2, 0, 1, -1, 2]
    topics = read_qrels((files / "11-qrels-subtopics.txt").read_bytes())
    assert topics.subtopic.texts() == ["1", "1", "2", "2", "3", "3", "1"]
    marco = read_qrels((files / "12-msmarco-qrels-4col.tsv").read_bytes())
    assert marco.query.texts() == ["300674", "1048585", "2", "9"]
    hashes = read_qrels((files / "50-qrels-comments-and-hash-ids.txt").read_bytes())
    assert (hashes.comments, hashes.hash_data) == ([1, 4], [6])
    assert hashes.document[0] == "msm_v2.1_doc_00_88#4_163"


def test_sample_runs(files):
    """The sample runs hold what was written into them."""
    junk = read_run((files / "09-run-6col-trailing-text.txt").read_bytes())
    assert junk.score.tolist()[:4] == [9.129133, 8.724760, 1.104024, 7.5]
    assert junk.rank.tolist()[:4] == [104, 414, 1, 7]
    assert (junk.tag, junk.bad) == ("base", [])
    packed = read_run(gzip.decompress((files / "50-run.txt.gz").read_bytes()))
    assert packed.query[3] == "#tag42"
    for name in (name for name, kind in KINDS.items() if kind == "run" and name[-3:] != ".gz"):
        data = (files / name).read_bytes()
        assert len(read_run(data).score) == len(data.splitlines())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("300674\t0\t7067032\t1\n", "qrels"),
        ("q 0 d 1\r\nq 0 e 0", "qrels"),
        ("q 0 d 1\r\nq 0 e 0\r", "qrels"),
        ("# by hand\n\nq 0 d 1\n", "qrels"),
        ("\ufeffq 0 d -1.5\n", "qrels"),
        ('q 0 d "1"\n', "qrels"),
        ("q ITER d 1\n", "qrels"),
        ("q 0 d 1\n" * 20 + "broken\n", "qrels"),
        ("q 0 d 1\n" * 4 + "broken\n", None),
        ("q 1 5 1\nq 2 6 0\n", "qrels"),
        ("q Q0 d 1 2.5 tag\n", "run"),
        ("q 0 d 1 -1e-3\n", "run"),
        ("q Q0 d 1 2.5 tag and more\n", "run"),
        ("// by hand\nq 0 d 1\n", "qrels"),
        ("q d1 1 2.5 tag\nq d2 2 1.5 tag\nr d3 1 9 tag\n", "run without Q0"),
        ("q\td1\t0\t2.5\ttag\r\n", "run without Q0"),
        ("q d1 1 2.5 tag\nq d2 2 1.5 other\n", None),
        ("q d1 1 2.5 tag\nq d2 x 1.5 tag\n", None),
        ("query\tdoc\trank\tscore\ttag\nq\td1\t1\t2.5\ttag\n", None),
        ("query-id\tcorpus-id\tscore\nq\td\t1\n", None),
        ("q d 1\nq e 2\n", None),
        ("1 5 7 8 9\n1 6 7 8 9\n1 7 7 8 9\n", None),
        ("q 7 1 0.9\nq 9 2 0.8\n", None),
        ("q da 1 0.9\nq db 2 0.8\n", None),
        ("q d1 1 0.9\n", None),
        ("q da 7 0.9\nq db 5 0.8\nq dc 6 0.7\n", None),
        ("query iteration document grade\n" + "q 0 d 1\n" * 20, None),
        ("3 qid:1 # 42 x\n", None),
        ("3 qid:1 # 42 7\n", None),
        ("0 qid:3 1:0.5 2:0.3\n", None),
        ("q,0,d,1\n", None),
        ("q, 0, d, 1\n", None),
        ('"q";0;"a document";1\n', None),
        ("12, red shoes, 3\n", None),
        ("q 0 d 1\rq 0 e 2\r", None),
        ("q 0 d 1\0\n", None),
        ("# only a remark\n", None),
        ("\n", None),
        ("", None),
        ("x" * 70_000, None),
    ],
)
def test_looks_like(text, kind):
    """The first lines tell qrels and runs from tables, headers and other formats."""
    assert looks_like(text.encode()) == kind


def test_a_cut_last_line_does_not_count():
    """The last line of the 64 KiB that are looked at may be cut, and is not looked at."""
    row = b"q 0 " + b"d" * 20_000 + b" 1\n"
    assert looks_like((row * 9)[: trec.HEAD]) == "qrels"
