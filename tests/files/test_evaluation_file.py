"""An evaluation as a file: it comes back as it was, and no file of any content does harm."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from build import CHECKOUT
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.lineup import Entrant, Lineup
from ndcg_desktop.evaluation.queue import QueueOptions
from ndcg_desktop.evaluation.repairs import Repair
from ndcg_desktop.evaluation.scale import BUILT_IN
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.evaluation_file import (
    Chosen,
    EvaluationFile,
    FileReading,
    OtherEvaluation,
    Remark,
    TableReading,
    as_written,
    from_bytes,
    is_evaluation,
    write_evaluation,
)
from ndcg_desktop.files.evaluation_reading import read_evaluation, read_files, readings
from ndcg_desktop.files.labels import Labels
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.shape import Choices
from ndcg_desktop.files.table import FileError
from ndcg_desktop.scoring.options import Options

HERE = Path("review.ndcg")
CHOICES = Choices(
    Roles(query=0, document=1, graders=(2, 3)),
    Labels({"exact": 3.0, "skip": None}, {3.0: "Exact"}),
    merge="median",
    header_row=2,
    sheet="Räume",
    encoding="cp1252",
    delimiter=";",
)
WHOLE = EvaluationFile(
    (
        FileReading(
            "../data/Übung & Co.csv",
            "ab" * 32,
            (
                TableReading("Räume", True, ("query", "docid"), CHOICES, "shoes"),
                TableReading(None, False, (), Choices()),
            ),
        ),
    ),
    (Repair("query-case", "query", "in case", {"Red Shoes": "red shoes"}),),
    Chosen(
        Options(gain="table", gain_table=((0.0, 0.0), (2.0, 5.0)), cutoff=None),
        4,
        Lineup((Entrant("run.csv", "Production", 3), Entrant("b", "B", 1, False)), "run.csv"),
        BUILT_IN[3],
        "judge:Ann",
        (("grade", "Ann"),),
        QueueOptions(which="all", seed=7, repeats=10),
    ),
    (Remark("q1", "A", "Ann", "cannot"),),
    (Remark("q1", "B", "", "fits\nwell “so”"),),
)


def text_of(content: EvaluationFile) -> str:
    """The content of a file."""
    return content.to_text("nDCG Desktop 1", "2026-01-02T03:04:05+00:00")


def with_changed(**changed: object) -> bytes:
    """The whole file with some names holding something else; None takes the name away."""
    plain = json.loads(text_of(WHOLE)) | changed
    return json.dumps({name: value for name, value in plain.items() if value is not ...}).encode()


class TestText:
    """What is written is read again."""

    def test_everything_comes_back(self) -> None:
        """Every part of an evaluation is the same after a file was written and read."""
        assert from_bytes(text_of(WHOLE).encode(), HERE) == WHOLE

    def test_it_is_readable(self) -> None:
        """The file names format and version first, in lines, in UTF-8, and ends in a newline."""
        text = text_of(WHOLE)

        assert text.startswith('{\n  "format": "nDCG Desktop evaluation",\n  "version": 1,\n')
        assert '"path": "../data/Übung & Co.csv"' in text
        assert text.endswith("}\n")
        assert text == text_of(from_bytes(text.encode(), HERE))

    def test_only_files_are_needed(self) -> None:
        """What a file does not say is the default, and names that are not known are passed over."""
        plain = {"format": "nDCG Desktop evaluation", "version": 1, "later": {"a": [1]}}
        plain["files"] = [{"path": "a.csv", "sha256": "", "tables": []}]

        found = from_bytes(json.dumps(plain).encode(), HERE)

        assert found == EvaluationFile((FileReading("a.csv", "", ()),))

    def test_byte_order_mark(self) -> None:
        """An editor may have put a byte order mark before it."""
        assert from_bytes(b"\xef\xbb\xbf" + text_of(WHOLE).encode(), HERE) == WHOLE


class TestRefused:
    """A file that is none is refused in a sentence that names it."""

    def test_later_version(self) -> None:
        """A later version is told from damage."""
        with pytest.raises(FileError, match=r"review\.ndcg.*later version of the program"):
            from_bytes(with_changed(version=2), HERE)

    @pytest.mark.parametrize("version", [0, -1, 1.5, "1", None, True, [1]])
    def test_no_version(self, version: object) -> None:
        """What is no number of a version is damage."""
        with pytest.raises(FileError, match="version"):
            from_bytes(with_changed(version=version), HERE)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("files", []),
            ("files", {}),
            ("files", [{"path": 1, "sha256": "", "tables": []}]),
            ("files", [{"path": "a\0b", "sha256": "", "tables": []}]),
            ("files", [{"path": "a", "sha256": "", "tables": [{}]}]),
            ("options", {"cutoff": 0}),
            ("options", {"gain_table": [[1]]}),
            ("options", [1]),
            ("decimals", -1),
            ("decimals", 1.5),
            ("lineup", {"entrants": [1]}),
            ("scale", {"name": "x", "levels": []}),
            ("merging", "whatever"),
            ("names", [["a"]]),
            ("queue", {"which": "none"}),
            ("marks", [{"query": "q", "document": "d", "owner": "", "mark": "what"}]),
            ("notes", [{"query": "q"}]),
            ("repairs", [{"kind": "k", "what": "query", "difference": "", "mapping": {}}]),
        ],
    )
    def test_part_is_named(self, name: str, value: object) -> None:
        """The part that is damaged is named."""
        with pytest.raises(FileError, match=f"review.ndcg.*“{name}”"):
            from_bytes(with_changed(**{name: value}), HERE)

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"\xff\xfe\x00",
            b"null",
            b"[]",
            b'{"format": "something else"}',
            b'{"decimals": NaN}',
            b'{"decimals": 1e999}',
            b'{"decimals": ' + b"9" * 10_000 + b"}",
            b'{"half": "\\ud800"}',
            text_of(WHOLE).encode()[:-20],
            text_of(WHOLE).encode("utf-16"),
        ],
    )
    def test_damage(self, data: bytes) -> None:
        """Damage of every kind is told in words."""
        with pytest.raises(FileError, match=r"review\.ndcg"):
            from_bytes(data, HERE)

    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )

    @settings(max_examples=150)
    @given(st.data())
    def test_anything(self, data: st.DataObject) -> None:
        """Whatever stands under a name, wherever, a file is read or refused; what is read can be
        written, and is then the same.
        """
        plain = json.loads(text_of(WHOLE))
        place = plain
        while isinstance(place, dict | list) and place:
            names = list(place) if isinstance(place, dict) else list(range(len(place)))
            name = data.draw(st.sampled_from(names))
            if not isinstance(place[name], dict | list) or data.draw(st.booleans()):
                place[name] = data.draw(self.anything)
                break
            place = place[name]
        try:
            found = from_bytes(json.dumps(plain).encode(), HERE)
        except FileError:
            return
        assert from_bytes(text_of(found).encode(), HERE) == found

    @given(anything)
    def test_any_json(self, value: object) -> None:
        """JSON of any other shape is refused."""
        with pytest.raises(FileError, match=r"review\.ndcg"):
            from_bytes(json.dumps(value).encode(), HERE)


class TestWriting:
    """Whole or not at all, and never over what somebody else has written."""

    def test_digest(self, tmp_path: Path) -> None:
        """What is written is what is read, with the digest that was given."""
        path = tmp_path / "a.ndcg"
        digest = write_evaluation(path, text_of(WHOLE))

        assert read_evaluation(path).digest == digest
        assert write_evaluation(path, text_of(WHOLE), digest) == digest

    def test_changed_by_another(self, tmp_path: Path) -> None:
        """A file that has changed since is not written over."""
        path = tmp_path / "a.ndcg"
        digest = write_evaluation(path, text_of(WHOLE))
        path.write_text("another", "utf-8")

        with pytest.raises(OtherEvaluation, match="changed by another program"):
            write_evaluation(path, text_of(WHOLE), digest)
        assert path.read_text("utf-8") == "another"

    def test_name_that_is_no_text(self, tmp_path: Path) -> None:
        """A file name with bytes that are no text is told, and nothing is written."""
        odd = replace(WHOLE, files=(FileReading("a\udcff.csv", "", ()),))
        with pytest.raises(FileError, match="Rename the file"):
            write_evaluation(tmp_path / "a.ndcg", text_of(odd))
        assert list(tmp_path.iterdir()) == []

    def test_told_by_content(self, tmp_path: Path) -> None:
        """It is known under another name, and nothing else is taken for one."""
        path = tmp_path / "mail attachment.txt"
        path.write_text(text_of(WHOLE), "utf-8")
        (tmp_path / "a.csv").write_text("query,docid,grade\n", "utf-8")

        assert is_evaluation(path)
        assert is_evaluation(tmp_path / "GONE.NDCG")
        assert not is_evaluation(tmp_path / "a.csv")
        assert not is_evaluation(tmp_path / "gone.csv")
        assert not is_evaluation(tmp_path)
        assert not is_evaluation(Path("a\0b"))


class TestPaths:
    """Where the files are."""

    def test_as_written(self, tmp_path: Path) -> None:
        """Paths go from the folder of the file, upwards too, and have “/”."""
        (tmp_path / "a" / "b").mkdir(parents=True)

        assert as_written(tmp_path / "a" / "x.csv", tmp_path) == "a/x.csv"
        assert as_written(tmp_path / "x.csv", tmp_path / "a" / "b") == "../../x.csv"

    @pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
    def test_links(self, tmp_path: Path) -> None:
        """A link to a file is named itself, and a link to the folder leads to the same files."""
        (tmp_path / "real").mkdir()
        (tmp_path / "real" / "v3.csv").write_text("query,docid,grade\nq1,A,3\n", "utf-8")
        (tmp_path / "current.csv").symlink_to(tmp_path / "real" / "v3.csv")
        (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)

        save(tmp_path / "link" / "a.ndcg", tmp_path / "current.csv")
        read = read_evaluation(tmp_path / "real" / "a.ndcg")

        assert read.file.files[0].path == "../current.csv"
        assert read.places == (tmp_path / "current.csv",)

    @pytest.fixture
    def saved(self, tmp_path: Path) -> Path:
        """An evaluation of two files in a folder beside it."""
        folder = tmp_path / "data"
        folder.mkdir()
        (folder / "judgments.csv").write_text("query,docid,grade\nq1,A,3\nq1,B,1\n", "utf-8")
        (folder / "run.csv").write_text("query,docid,rank\nq1,B,1\nq1,A,2\n", "utf-8")
        return save(tmp_path / "a.ndcg", folder / "judgments.csv", folder / "run.csv")

    def test_whole_folder_moves(self, saved: Path, tmp_path: Path) -> None:
        """An evaluation that moves with its files finds them."""
        (tmp_path / "elsewhere").mkdir()
        saved.rename(tmp_path / "elsewhere" / "a.ndcg")
        (tmp_path / "data").rename(tmp_path / "elsewhere" / "data")

        read = read_evaluation(tmp_path / "elsewhere" / "a.ndcg")

        assert read.missing == []
        assert read.places[0] == tmp_path / "elsewhere" / "data" / "judgments.csv"

    def test_beside(self, saved: Path, tmp_path: Path) -> None:
        """A file that is gone is looked for beside the evaluation by its name."""
        (tmp_path / "data" / "run.csv").rename(tmp_path / "run.csv")

        assert read_evaluation(saved).places[1] == tmp_path / "run.csv"

    def test_folder_of_a_found_one(self, saved: Path, tmp_path: Path) -> None:
        """Where one missing file is, the others are looked for too; another name may be chosen."""
        (tmp_path / "data").rename(tmp_path / "new")
        (tmp_path / "new" / "judgments.csv").rename(tmp_path / "new" / "other.csv")

        assert read_evaluation(saved).missing == ["data/judgments.csv", "data/run.csv"]
        found = {"data/judgments.csv": tmp_path / "new" / "other.csv"}
        read = read_evaluation(saved, found)
        assert read.places == (tmp_path / "new" / "other.csv", tmp_path / "new" / "run.csv")

    def test_names_that_are_none(self, tmp_path: Path) -> None:
        """Paths that no system has are files that are not found."""
        names = ("x" * 5000, "C:\\a\\b.csv", "", ".", "..", "/", "data/")
        files = tuple(FileReading(name, "", ()) for name in names if name)
        path = tmp_path / "a.ndcg"
        write_evaluation(path, text_of(EvaluationFile(files)))

        assert len(read_evaluation(path).missing) == len(files)


def save(path: Path, *files: Path) -> Path:
    """Save an evaluation of files as they are read without being told how."""
    planned = plan([table for file in files for table in read(file)])
    found = readings(planned.parts, planned.unused, lambda p: as_written(p, path.parent))
    write_evaluation(path, text_of(EvaluationFile(found)))
    return path


def read_again(path: Path):
    """The tables that an evaluation names, as it says."""
    return read_files(read_evaluation(path), lambda: False, lambda _: None)


class TestReadings:
    """How tables are read."""

    @pytest.mark.parametrize(
        "name",
        sorted(
            path.name
            for path in (CHECKOUT / "tests" / "data" / "files").iterdir()
            if not path.name.startswith(("57-", "EXPECT", "33-"))
        ),
    )
    def test_every_kind_of_file(self, tmp_path: Path, files: Path, name: str) -> None:
        """A file of every shape is read the same as before, and without a doubt."""
        planned = plan(read(files / name))
        again = read_again(save(tmp_path / "a.ndcg", files / name))

        assert again.doubts == {}
        assert again.findings == []
        assert list(map(what, again.parts)) == list(map(what, planned.parts))
        assert len(again.unused) == len(planned.unused)

    def test_changed_rows(self, tmp_path: Path) -> None:
        """A file with other rows is read as before, and that it has changed is told."""
        data = tmp_path / "j.csv"
        data.write_text("query,docid,grade\nq1,A,3\n", "utf-8")
        path = save(tmp_path / "a.ndcg", data)
        data.write_text("query,docid,grade\nq1,A,3\nq1,B,1\n", "utf-8")

        planned = read_again(path)

        assert planned.doubts == {}
        assert [str(found.code) for found in planned.findings] == ["file-changed"]
        assert "j.csv" in str(planned.findings[0])
        assert len(planned.parts[0].table) == 2

    def test_changed_columns(self, tmp_path: Path) -> None:
        """A file with other columns is never read by the old places: it is a doubt."""
        data = tmp_path / "j.csv"
        data.write_text("query,docid,grade\nq1,A,3\n", "utf-8")
        path = save(tmp_path / "a.ndcg", data)
        data.write_text("query,rank,docid,grade\nq1,1,A,3\n", "utf-8")

        planned = read_again(path)

        assert list(planned.doubts) == [0]
        assert "other columns" in planned.doubts[0]

    def test_missing_file(self, tmp_path: Path) -> None:
        """Where nobody can be asked, a missing file is named."""
        data = tmp_path / "j.csv"
        data.write_text("query,docid,grade\nq1,A,3\n", "utf-8")
        path = save(tmp_path / "a.ndcg", data)
        data.unlink()

        with pytest.raises(FileError, match=r"a\.ndcg.*j\.csv"):
            read_again(path)


def what(part: Understood):
    """All that is understood of a table."""
    table = part.table
    return (
        table.path,
        table.sheet,
        table.header,
        len(table),
        replace(part, table=None, query_name=""),
    )
