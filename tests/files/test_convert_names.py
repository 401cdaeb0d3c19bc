"""Which format a file's name tells, and how formats are offered."""

from pathlib import Path

import pytest

from ndcg_desktop.files.convert import FORMATS, SAVE_FORMATS, filter_text, format_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("a.qrels", "qrels"),
        ("qrels.dl19.txt", "qrels"),
        ("A.QREL", "qrels"),
        ("bm25.run", "run"),
        ("run.bm25.txt", "run"),
        ("my-run.txt", "run"),
        ("judgments.ltr", "ltr"),
        ("a.csv", "csv"),
        ("quepid ratings.csv", "quepid"),
        ("a.xlsx", "xlsx"),
        ("beir-test.tsv", "beir"),
        ("rre_ratings.json", "rre"),
        ("run.json", "pytrec_eval"),
        ("a.txt", None),
        ("trunk.txt", None),
        ("a.json", None),
        ("a.tsv", None),
        ("a.qrels.gz", None),
        ("a", None),
    ],
)
def test_a_name_tells_its_format_or_nothing(name, key):
    """A name tells a format only where it can be but one."""
    form = format_of(Path(name))
    assert (None if form is None else form.key) == key


def test_a_window_can_offer_every_format_of_judgments():
    """The formats to save in are those of judgments, each with its filter."""
    assert {form.key for form in SAVE_FORMATS} == set(FORMATS) - {"run"}
    filters = [filter_text(form) for form in SAVE_FORMATS]
    assert filters[0] == "Comma-separated text (*.csv)"
    assert len(set(filters)) == len(filters)
