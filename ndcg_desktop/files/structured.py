"""Judgment lists of learning to rank."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK, decode, split_lines
from ndcg_desktop.files.table import Table

LTR_LINE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s+qid:(\S+)((?:\s+\d+:\S+)*)\s*(?:#\s*(.*?))?\s*")
_LTR_QUERY = re.compile(r"#\s*qid:(\S+?):\s*(.*?)\s*")


def looks_like_ltr(head: bytes) -> bool:
    """Whether the first data line is "grade qid:Q …"."""
    for line in head.decode("utf-8-sig", "replace").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return re.match(r"\s*-?\d+(\.\d+)?\s+qid:\S", line) is not None
    return False


def read_ltr(path: Path, data: bytes) -> Table:
    """Read "grade qid:Q [feature:value …] [# document text]", with "# qid:Q: text" for queries.

    Lines without a document get one named after their line, so that the ids stay the same.
    """
    text, _ = decode(path, data)
    titles: dict[str, str] = {}
    rows: list[tuple[str, str, str, str]] = []
    numbers: list[int] = []
    features: list[dict[str, str]] = []
    findings: list[Finding] = []
    for place, line in enumerate(split_lines(text.removeprefix(BYTE_ORDER_MARK))):
        if title := _LTR_QUERY.fullmatch(line):
            titles[title[1]] = title[2]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = LTR_LINE.fullmatch(line)
        if match is None:
            findings.append(_ltr_problem(path, place, line))
            continue
        document, _, rest = (match[4] or "").replace("\t", " ").partition(" ")
        rows.append((match[1], match[2], document or f"line {place + 1}", rest.strip()))
        features.append(dict(pair.split(":", 1) for pair in match[3].split()))
        numbers.append(place + 1)
    if rows and all(row[2].startswith("line ") for row in rows):
        findings.append(_no_documents(path))
    return _ltr_table(path, rows, numbers, features, titles, findings)


def _ltr_table(
    path: Path,
    rows: list[tuple[str, str, str, str]],
    numbers: list[int],
    features: list[dict[str, str]],
    titles: dict[str, str],
    findings: list[Finding],
) -> Table:
    names = sorted({name for row in features for name in row}, key=lambda name: (len(name), name))
    columns: list[list[Any]] = [
        [row[0] for row in rows],
        [row[1] for row in rows],
        [titles.get(row[1], "") for row in rows],
        [row[2] for row in rows],
        [row[3] for row in rows],
        *([row.get(name, "") for row in features] for name in names),
    ]
    header = ("grade", "query id", "query", "document", "title")
    return Table(
        path=path,
        kind="ltr",
        header=(*header, *(f"feature {name}" for name in names)),
        columns=tuple(columns),
        row=np.array(numbers, dtype=np.int32),
        findings=tuple(findings),
    )


def _ltr_problem(path: Path, place: int, line: str) -> Finding:
    text = f"This line is not “grade qid:Q …” and was left out: {line.strip()[:80]}"
    return Finding("warning", "bad-line", text, Source(path.name), place + 1)


def _no_documents(path: Path) -> Finding:
    text = "The file names no documents; each is called after its line: “line 1”, “line 2”, …"
    return Finding("note", "no-document-ids", text, Source(path.name))
